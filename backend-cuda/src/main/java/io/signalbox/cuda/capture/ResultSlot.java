// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reads a result slot in pinned memory, as the device wrote it. Its content is trusted only after {@link ResultCheck}. */
final class ResultSlot
{
    static final int HEADER_BYTES = 64;
    static final int MAGIC = 0x53425831;

    private static final int STEP_OFFSET = 0;
    private static final int RANK_OFFSET = 8;
    private static final int TOKENS_OFFSET = 12;
    private static final int ROWS_OFFSET = 16;
    private static final int LAYERS_OFFSET = 20;
    private static final int TOP_K_OFFSET = 24;
    private static final int ID_BYTES_OFFSET = 28;
    private static final int CHECKSUM_OFFSET = 32;
    private static final int FINGERPRINT_OFFSET = 40;
    private static final int UNWRITTEN_OFFSET = 48;
    private static final int BAD_OFFSET = 52;
    private static final int GENERATION_OFFSET = 56;
    private static final int MAGIC_OFFSET = 60;

    private static final long CHECKSUM_SALT = 0x9E3779B9L;
    private static final long CHECKSUM_FACTOR = 0xD1B54A32D192ED03L;
    private static final long WORD_MASK = 0xFFFFFFFFL;
    private static final int ONE_BYTE_MASK = 0xFF;
    private static final int TWO_BYTES_MASK = 0xFFFF;

    private final UnsafeBuffer buffer;

    ResultSlot(final ByteBuffer pinned)
    {
        buffer = new UnsafeBuffer(pinned);
    }

    UnsafeBuffer buffer()
    {
        return buffer;
    }

    long step()
    {
        return int64(STEP_OFFSET);
    }

    int rank()
    {
        return int32(RANK_OFFSET);
    }

    int tokens()
    {
        return int32(TOKENS_OFFSET);
    }

    int rows()
    {
        return int32(ROWS_OFFSET);
    }

    int layers()
    {
        return int32(LAYERS_OFFSET);
    }

    int topK()
    {
        return int32(TOP_K_OFFSET);
    }

    int idBytes()
    {
        return int32(ID_BYTES_OFFSET);
    }

    long checksum()
    {
        return int64(CHECKSUM_OFFSET);
    }

    long fingerprint()
    {
        return int64(FINGERPRINT_OFFSET);
    }

    int unwritten()
    {
        return int32(UNWRITTEN_OFFSET);
    }

    int bad()
    {
        return int32(BAD_OFFSET);
    }

    int generation()
    {
        return int32(GENERATION_OFFSET);
    }

    int magic()
    {
        return int32(MAGIC_OFFSET);
    }

    void copySampled(final int[] target, final int rows)
    {
        for (int row = 0; row < rows; row++)
        {
            target[row] = int32(HEADER_BYTES + row * Integer.BYTES);
        }
    }

    /** Expert id number {@code index} of the rows that start at {@code offset}, as it is stored. */
    int id(final int offset, final int index, final int idBytes)
    {
        return idBytes == Byte.BYTES ? buffer.getByte(offset + index) & ONE_BYTE_MASK :
            buffer.getShort(offset + index * Short.BYTES, ByteOrder.LITTLE_ENDIAN) & TWO_BYTES_MASK;
    }

    /**
     * The checksum of what follows the header, up to {@code end}, padded with zeros to whole words. The factor that all
     * words share is taken out of the sum.
     */
    long computeChecksum(final int end)
    {
        final int whole = end - end % Integer.BYTES;
        long sum = 0;
        long weight = 1;
        for (int at = HEADER_BYTES; at < whole; at += Integer.BYTES)
        {
            sum += (int32(at) & WORD_MASK ^ CHECKSUM_SALT) * weight;
            weight += 2;
        }
        if (whole < end)
        {
            sum += (partialWord(whole, end) ^ CHECKSUM_SALT) * weight;
        }
        return sum * CHECKSUM_FACTOR;
    }

    private long partialWord(final int start, final int end)
    {
        long word = 0;
        for (int at = end - 1; at >= start; at--)
        {
            word = word << Byte.SIZE | buffer.getByte(at) & ONE_BYTE_MASK;
        }
        return word;
    }

    private int int32(final int offset)
    {
        return buffer.getInt(offset, ByteOrder.LITTLE_ENDIAN);
    }

    private long int64(final int offset)
    {
        return buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
    }
}
