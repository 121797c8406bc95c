// SPDX-License-Identifier: Apache-2.0

/**
 * Preview: the KV blocks that each rank has cached, for routers outside of this process.
 *
 * <p>{@link io.signalbox.server.kvevents.KvEvents} follows an engine and publishes each change. Only
 * {@link io.signalbox.server.kvevents.ZeroMqPublisher} knows ZeroMQ.
 */
package io.signalbox.server.kvevents;
