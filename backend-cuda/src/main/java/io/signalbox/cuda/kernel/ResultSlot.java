// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import org.agrona.DirectBuffer;

import java.nio.ByteOrder;

/**
 * Reads the result of a step in the memory of the copy from the device, without allocation. Nothing in it is to be believed
 * before {@link #fault} has answered null: a slot may hold an older step, half a copy, or rows that nothing wrote.
 */
public final class ResultSlot
{
    public static final int HEADER_BYTES = 64;
    public static final int MAGIC = 0x53425831;
    /** In place of a token that follows a wrong draft token. */
    public static final int REJECTED = -2;
    private static final int LINE_BYTES = 64;
    private static final int STEP = 0;
    private static final int RANK = 8;
    private static final int TOKENS = 12;
    private static final int ENTRIES = 16;
    private static final int LAYERS = 20;
    private static final int TOP_K = 24;
    private static final int ID_BYTES = 25;
    private static final int WEIGHT_BYTES = 26;
    private static final int EXTRA_WORDS = 27;
    private static final int NO_NUMBER = 28;
    private static final int CHECKSUM = 32;
    private static final int FINGERPRINT = 40;
    private static final int UNWRITTEN = 48;
    private static final int BAD = 52;
    private static final int GENERATION = 56;
    private static final int MAGIC_OFFSET = 60;
    private static final long CHECKSUM_SALT = 0x9E3779B9L;
    private static final long CHECKSUM_FACTOR = 0xD1B54A32D192ED03L;
    private static final long WORD_MASK = 0xFFFFFFFFL;
    private static final int BYTE_MASK = 0xFF;
    private static final int SHORT_MASK = 0xFFFF;

    private DirectBuffer buffer;
    private int start;
    private int capacity;

    /**
     * The most bytes that a result takes, a multiple of 64.
     *
     * @param entryWords of all entries together.
     * @param rowsBytes  of all rows together.
     */
    public static long maxBytes(final long entryWords, final long rowsBytes)
    {
        return HEADER_BYTES + align(Integer.BYTES * entryWords) + align(rowsBytes);
    }

    /** @param length bytes of the slot, a multiple of 4. */
    public ResultSlot wrap(final DirectBuffer slots, final int offset, final int length)
    {
        buffer = slots;
        start = offset;
        capacity = length;
        return this;
    }

    public long step()
    {
        return buffer.getLong(start + STEP, ByteOrder.LITTLE_ENDIAN);
    }

    public int rank()
    {
        return int32(RANK);
    }

    /** Real tokens of the step, one row of routed experts each. */
    public int tokens()
    {
        return int32(TOKENS);
    }

    /** Entries of the plan, one sampled token each. */
    public int entries()
    {
        return int32(ENTRIES);
    }

    /** MoE layers, 0 if capture was disabled. */
    public int layers()
    {
        return int32(LAYERS);
    }

    public int topK()
    {
        return int8(TOP_K);
    }

    public int idBytes()
    {
        return int8(ID_BYTES);
    }

    /** Bytes of a combine weight; 0: rows have none. */
    public int weightBytes()
    {
        return int8(WEIGHT_BYTES);
    }

    /** Words of each entry beyond its token: 2 with the parts of a log-probability, otherwise 0. */
    public int extraWords()
    {
        return int8(EXTRA_WORDS);
    }

    /**
     * The first values that were no finite numbers: above 0 the scores of the router in this MoE layer, counted from 1;
     * below 0 the logits; 0: none.
     */
    public int noNumber()
    {
        return int32(NO_NUMBER);
    }

    /** The checksum that the device computed over the result. */
    public long checksum()
    {
        return buffer.getLong(start + CHECKSUM, ByteOrder.LITTLE_ENDIAN);
    }

    public long fingerprint()
    {
        return buffer.getLong(start + FINGERPRINT, ByteOrder.LITTLE_ENDIAN);
    }

    /** Ids in rows of real tokens that no kernel wrote. */
    public int unwritten()
    {
        return int32(UNWRITTEN);
    }

    /** Ids out of range or repeated within their set. */
    public int bad()
    {
        return int32(BAD);
    }

    public int generation()
    {
        return int32(GENERATION);
    }

    public int sampledToken(final int entry)
    {
        return int32(HEADER_BYTES + entry * Integer.BYTES);
    }

    /** Natural logarithm of the probability of an entry's token; the device has left its parts. */
    public float logprob(final int entry)
    {
        final float difference = Float.intBitsToFloat(sampledToken(entries() + entry));
        final float sum = Float.intBitsToFloat(sampledToken(2 * entries() + entry));
        return (float)(difference - StrictMath.log(sum));
    }

    /** Offset of the rows, each {@code [layers][topK]} ids, and their weights if it has them, in the buffer. */
    public int expertsOffset()
    {
        return start + HEADER_BYTES + (int)align(entryBytes());
    }

    /** Bytes of all rows. */
    public int expertsBytes()
    {
        return (int)expertsLength();
    }

    public int expert(final int token, final int layer, final int k)
    {
        final int bytes = idBytes();
        final int at = expertsOffset() + token * rowBytes() + (layer * topK() + k) * bytes;
        return bytes == Byte.BYTES ? buffer.getByte(at) & BYTE_MASK :
            buffer.getShort(at, ByteOrder.LITTLE_ENDIAN) & SHORT_MASK;
    }

    /** The checksum of what is here, to be compared with {@link #checksum}. */
    public long computedChecksum()
    {
        final int bytes = (int)(align(entryBytes()) + expertsLength());
        final int from = start + HEADER_BYTES;
        long sum = 0;
        long factor = 1;
        int at = 0;
        for (; at + Integer.BYTES <= bytes; at += Integer.BYTES)
        {
            final long word = buffer.getInt(from + at, ByteOrder.LITTLE_ENDIAN) & WORD_MASK;
            sum += (word ^ CHECKSUM_SALT) * factor;
            factor += 2;
        }
        if (at < bytes)
        {
            sum += (lastWord(from + at, bytes - at) ^ CHECKSUM_SALT) * factor;
        }
        return sum * CHECKSUM_FACTOR;
    }

    /**
     * The fault of the result as that of a step, or null. Ids that are missing or bad are no fault of the copy, and
     * are left to {@link #unwritten} and {@link #bad}.
     */
    public String fault(final long expectedStep, final int expectedRank, final int generation, final long fingerprint)
    {
        if (int32(MAGIC_OFFSET) != MAGIC)
        {
            return "the header holds no result";
        }
        if (step() != expectedStep || generation() != generation || rank() != expectedRank)
        {
            return "the header is of step " + step() + " of rank " + rank() + ", generation " + generation();
        }
        if (fingerprint() != fingerprint)
        {
            return "the fingerprint " + Long.toHexString(fingerprint()) + " is not " + Long.toHexString(fingerprint);
        }
        if (!fits())
        {
            return "the header tells of more bytes than a slot has";
        }
        final long computed = computedChecksum();
        return computed == checksum() ? null :
            "the checksum " + Long.toHexString(computed) + " is not the device's " + Long.toHexString(checksum());
    }

    private boolean fits()
    {
        if (tokens() < 0 || entries() < 0 || layers() < 0 || idBytes() < Byte.BYTES || idBytes() > Short.BYTES)
        {
            return false;
        }
        // In floating point, since four numbers that nobody has checked overflow a long.
        final double experts = (double)tokens() * layers() * topK() * (idBytes() + weightBytes());
        return HEADER_BYTES + align(entryBytes()) + experts <= capacity;
    }

    private long entryBytes()
    {
        return (long)Integer.BYTES * entries() * (1 + extraWords());
    }

    private int rowBytes()
    {
        return layers() * topK() * (idBytes() + weightBytes());
    }

    private long expertsLength()
    {
        return (long)tokens() * rowBytes();
    }

    private int int8(final int offset)
    {
        return buffer.getByte(start + offset) & BYTE_MASK;
    }

    private long lastWord(final int at, final int bytes)
    {
        long word = 0;
        for (int i = 0; i < bytes; i++)
        {
            word |= (buffer.getByte(at + i) & (long)BYTE_MASK) << Byte.SIZE * i;
        }
        return word;
    }

    private int int32(final int offset)
    {
        return buffer.getInt(start + offset, ByteOrder.LITTLE_ENDIAN);
    }

    private static long align(final long bytes)
    {
        return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    }
}
