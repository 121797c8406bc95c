// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingNestedCallback;

import java.nio.ByteBuffer;

/**
 * Writes bytes in pieces. The platform copies everything that a write is given, however little of it the connection takes:
 * without pieces, the time that a long answer takes grows with the square of its length.
 */
final class JettyWrite extends IteratingNestedCallback
{
    private static final int PIECE_BYTES = 128 << 10;

    private final Response response;
    private final boolean last;
    private final ByteBuffer bytes;

    /** @param bytes at least one. */
    private JettyWrite(final Response response, final boolean last, final ByteBuffer bytes, final Callback written)
    {
        super(written);
        this.response = response;
        this.last = last;
        this.bytes = bytes;
    }

    /**
     * Begins a write.
     *
     * @param last    whether the answer ends with these bytes.
     * @param written hears of the end.
     */
    static void begin(final Response response, final boolean last, final ByteBuffer bytes, final Callback written)
    {
        if (bytes.remaining() <= PIECE_BYTES)
        {
            response.write(last, bytes, written);
            return;
        }
        new JettyWrite(response, last, bytes, written).iterate();
    }

    @Override
    protected Action process()
    {
        if (!bytes.hasRemaining())
        {
            return Action.SUCCEEDED;
        }
        final ByteBuffer piece = bytes.slice(bytes.position(), Math.min(bytes.remaining(), PIECE_BYTES));
        bytes.position(bytes.position() + piece.remaining());
        response.write(last && !bytes.hasRemaining(), piece, this);
        return Action.SCHEDULED;
    }
}
