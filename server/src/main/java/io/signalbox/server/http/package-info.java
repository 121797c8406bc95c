// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: how requests arrive and answers leave. {@link io.signalbox.server.http.HttpTransport} is the seam; only the
 * classes whose names begin with Jetty know the library.
 */
package io.signalbox.server.http;
