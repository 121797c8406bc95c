// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import org.agrona.MutableDirectBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;

/**
 * Turns 16-bit ids into bytes and back by the ISO-8859-1 coder, whose characters are the values 0 to 255: on Java 17 it is
 * the only conversion between these widths that the JDK does in vector registers, four to seven times as fast as
 * shifts and masks on longs. Holds scratch space; for one thread.
 */
final class ByteIds
{
    /** Ids converted at a time: all scratch space together stays in the first-level cache. */
    private static final int RUN = 4096;

    private final CharsetEncoder encoder = StandardCharsets.ISO_8859_1.newEncoder();
    private final CharsetDecoder decoder = StandardCharsets.ISO_8859_1.newDecoder();
    private final char[] chars = new char[RUN];
    private final CharBuffer charBuffer = CharBuffer.wrap(chars);
    private final ByteBuffer bytes = ByteBuffer.allocate(RUN);
    private final ByteBuffer shorts = ByteBuffer.allocate(RUN * Short.BYTES);
    private final CharBuffer shortsAsChars = shorts.order(ByteOrder.LITTLE_ENDIAN).asCharBuffer();

    /**
     * Converts 16-bit ids of the captured rows.
     *
     * @return false if an id is not in 0 to 255.
     */
    boolean narrow(final CapturedRows rows, final int firstId, final int ids, final ByteBuffer target, final int start)
    {
        final CharBuffer source = rows.shorts();
        if (source != null)
        {
            source.position(source.position() + firstId);
        }
        target.clear().position(start);
        boolean sound = true;
        for (int from = 0; from < ids && sound; from += RUN)
        {
            final int count = Math.min(RUN, ids - from);
            if (source != null)
            {
                source.get(chars, 0, count);
            }
            else
            {
                final int offset = rows.offset() + (firstId + from) * Short.BYTES;
                rows.buffer().getBytes(offset, shorts.array(), 0, count * Short.BYTES);
                shortsAsChars.clear().get(chars, 0, count);
            }
            charBuffer.clear().limit(count);
            sound = encoder.encode(charBuffer, target, true).isUnderflow();
        }
        return sound;
    }

    void widen(
        final byte[] source, final int start, final int ids, final MutableDirectBuffer target, final int offset)
    {
        for (int from = 0; from < ids; from += RUN)
        {
            final int count = Math.min(RUN, ids - from);
            System.arraycopy(source, start + from, bytes.array(), 0, count);
            bytes.clear().limit(count);
            charBuffer.clear();
            decoder.decode(bytes, charBuffer, true);
            shortsAsChars.clear().put(chars, 0, count);
            target.putBytes(offset + from * Short.BYTES, shorts.array(), 0, count * Short.BYTES);
        }
    }
}
