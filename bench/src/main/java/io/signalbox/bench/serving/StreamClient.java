// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.serving;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** One connection that sends requests and reads streams of chunks. */
final class StreamClient implements AutoCloseable
{
    private static final byte[] LAST_CHUNK = "\r\n0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DONE = "data: [DONE]".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DATA = "data: ".getBytes(StandardCharsets.US_ASCII);

    private final Socket socket;
    private final InputStream in;
    private final byte[] buffer = new byte[64 << 10];
    private long firstNanos;

    StreamClient(final int port) throws IOException
    {
        socket = new Socket("127.0.0.1", port);
        socket.setTcpNoDelay(true);
        in = socket.getInputStream();
    }

    /** Sends a request and reads its stream to the end; returns how many events it has, the last one included. */
    int stream(final byte[] request) throws IOException
    {
        socket.getOutputStream().write(request);
        firstNanos = 0;
        int events = 0;
        int data = 0;
        int done = 0;
        int last = 0;
        boolean chunked = false;
        while (done < DONE.length || chunked && last < LAST_CHUNK.length)
        {
            final int read = in.read(buffer);
            if (read < 0)
            {
                throw new IOException("the connection ended within a stream");
            }
            // A short answer may come whole, with its length.
            chunked |= firstNanos == 0 && new String(buffer, 0, read, StandardCharsets.ISO_8859_1).contains("chunked");
            for (int i = 0; i < read; i++)
            {
                data = matched(DATA, data, buffer[i]);
                done = done == DONE.length ? done : matched(DONE, done, buffer[i]);
                last = matched(LAST_CHUNK, last, buffer[i]);
                if (data == DATA.length)
                {
                    firstNanos = events++ == 0 ? System.nanoTime() : firstNanos;
                }
            }
        }
        return events;
    }

    /** How much of the text is matched with one more byte; a whole match begins again. */
    private static int matched(final byte[] text, final int before, final byte next)
    {
        final int count = before == text.length ? 0 : before;
        return next == text[count] ? count + 1 : next == text[0] ? 1 : 0;
    }

    /** When the first event of the last stream came. */
    long firstNanos()
    {
        return firstNanos;
    }

    @Override
    public void close() throws IOException
    {
        socket.close();
    }
}
