// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: how requests arrive and answers leave.
 *
 * <p>{@link io.signalbox.server.http.HttpTransport} is the seam; only the classes whose names begin with Jetty know the
 * library.
 */
package io.signalbox.server.http;
