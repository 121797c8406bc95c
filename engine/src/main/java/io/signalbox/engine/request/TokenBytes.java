// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.request;

import org.agrona.DirectBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;

/** Copies tokens out of a message in bulk: one by one each costs a check of its bounds. Not thread-safe. */
final class TokenBytes
{
    private static final int TOKENS = 256;

    private final byte[] bytes = new byte[TOKENS * Integer.BYTES];
    private final IntBuffer ints = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer();

    void copy(final DirectBuffer source, final int offset, final int[] tokens, final int count)
    {
        for (int done = 0; done < count; done += TOKENS)
        {
            final int part = Math.min(TOKENS, count - done);
            source.getBytes(offset + done * Integer.BYTES, bytes, 0, part * Integer.BYTES);
            ints.get(0, tokens, done, part);
        }
    }
}
