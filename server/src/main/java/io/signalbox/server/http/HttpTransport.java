// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

import java.net.InetSocketAddress;

/** Listens at an address and passes each request, with its whole body, to one handler. */
public interface HttpTransport extends AutoCloseable
{
    /** The address at which it listens. */
    InetSocketAddress address();

    /** Refuses new connections; open ones continue. */
    void stopAccepting();

    /** Refuses new connections, waits a second at most until each request has its whole answer, and ends all connections. */
    @Override
    void close();
}
