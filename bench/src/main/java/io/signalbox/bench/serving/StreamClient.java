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
    /** Of the stream so far, and how much of each text its last bytes are. */
    private int events;
    private int data;
    private int done;
    private int last;
    private boolean chunked;
    /** The last bytes up to the first event. */
    private String text = "";

    StreamClient(final int port) throws IOException
    {
        socket = new Socket("127.0.0.1", port);
        socket.setTcpNoDelay(true);
        in = socket.getInputStream();
    }

    /** Sends a request and reads its stream to the end; returns how many events it has, the last one included. */
    int stream(final byte[] request) throws IOException
    {
        send(request);
        return read(Integer.MAX_VALUE);
    }

    void send(final byte[] request) throws IOException
    {
        socket.getOutputStream().write(request);
        firstNanos = 0;
        events = 0;
        data = 0;
        done = 0;
        last = 0;
        chunked = false;
    }

    /** Reads until so many events have come, or to the end; returns how many have come. */
    int read(final int wanted) throws IOException
    {
        while (events < wanted && (done < DONE.length || chunked && last < LAST_CHUNK.length))
        {
            final int read = in.read(buffer);
            if (read < 0)
            {
                throw new IOException("the connection ended in a stream, after " + events + " events and '" + text + "'");
            }
            if (firstNanos == 0)
            {
                // A short answer may come whole, with its length.
                text = new String(buffer, 0, read, StandardCharsets.ISO_8859_1);
                chunked |= text.contains("chunked");
            }
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
