// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.server;

import io.signalbox.cli.Main;
import org.eclipse.jetty.server.Server;
import org.zeromq.ZContext;

/** A server that starts the command line, and knows its libraries. */
final class BadServer
{
    private final Server server;

    BadServer(final Server server)
    {
        this.server = server;
    }

    void again()
    {
        server.setDumpAfterStart(true);
        new ZContext().close();
        Main.main(new String[0]);
    }
}
