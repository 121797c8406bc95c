// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.serving;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Many streams of one thread: it opens all of them, then reads each to its end. */
final class HeldStreams
{
    private final List<StreamClient> clients = new ArrayList<>();

    /** Sends a request over each of so many connections. @return how many have a first token. */
    int open(final int port, final int streams, final byte[] request) throws IOException
    {
        for (int i = 0; i < streams; i++)
        {
            final StreamClient client = new StreamClient(port);
            client.send(request);
            clients.add(client);
        }
        int begun = 0;
        for (final StreamClient client : clients)
        {
            begun += client.read(1) > 0 ? 1 : 0;
        }
        return begun;
    }

    /** Reads all to their ends. @return how many came whole. */
    int whole() throws IOException
    {
        int whole = 0;
        for (final StreamClient client : clients)
        {
            client.read(Integer.MAX_VALUE);
            client.close();
            whole++;
        }
        clients.clear();
        return whole;
    }
}
