// SPDX-License-Identifier: Apache-2.0

/**
 * API: the engine, threaded or stepped.
 *
 * <p>Rings, threads, client handles, back-pressure and shutdown. It decides nothing: every decision is made in
 * {@link io.signalbox.scheduler}.
 */
package io.signalbox.engine;
