// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ResultSlotTest
{
    private static final int OFFSET = 128;
    private static final int STEP = 41;
    private static final long FINGERPRINT = 0x1234_5678_9ABC_DEF0L;
    private static final int LAYERS = 3;
    private static final int TOP_K = 5;

    /** A result as docs/cuda.md lays it out, with random content. */
    private static ByteBuffer result(final long seed, final int rows, final int tokens, final int idBytes)
    {
        final int bytes = (int)ResultSlot.maxBytes(rows, (long)tokens * LAYERS * TOP_K * idBytes);
        final ByteBuffer slot = ByteBuffer.allocateDirect(OFFSET + bytes).order(ByteOrder.LITTLE_ENDIAN);
        final byte[] content = new byte[(rows + 15) / 16 * 64 + tokens * LAYERS * TOP_K * idBytes];
        new Random(seed).nextBytes(content);
        slot.put(OFFSET + 64, content);
        slot.putLong(OFFSET, STEP).putInt(OFFSET + 8, 2).putInt(OFFSET + 12, tokens).putInt(OFFSET + 16, rows);
        slot.putInt(OFFSET + 20, LAYERS).put(OFFSET + 24, (byte)TOP_K).put(OFFSET + 25, (byte)idBytes);
        slot.putLong(OFFSET + 32, checksum(content)).putLong(OFFSET + 40, FINGERPRINT);
        slot.putInt(OFFSET + 48, 6).putInt(OFFSET + 52, 7).putInt(OFFSET + 56, STEP).putInt(OFFSET + 60, 0x53425831);
        return slot;
    }

    private static long checksum(final byte[] content)
    {
        long sum = 0;
        for (int i = 0; 4 * i < content.length; i++)
        {
            long word = 0;
            for (int b = 0; b < 4 && 4 * i + b < content.length; b++)
            {
                word |= (content[4 * i + b] & 0xFFL) << 8 * b;
            }
            sum += (word ^ 0x9E3779B9L) * (2L * i + 1) * 0xD1B54A32D192ED03L;
        }
        return sum;
    }

    private static ResultSlot wrap(final ByteBuffer slot)
    {
        return new ResultSlot().wrap(new UnsafeBuffer(slot), OFFSET, slot.capacity() - OFFSET);
    }

    private static String fault(final ByteBuffer slot)
    {
        return wrap(slot).fault(STEP, 2, STEP, FINGERPRINT);
    }

    @Property
    void shouldTakeAWholeResultAndNoticeAnyByteThatChanged(
        @ForAll final long seed, @ForAll @IntRange(min = 0, max = 40) final int rows,
        @ForAll @IntRange(min = 0, max = 9) final int tokens, @ForAll final boolean wide, @ForAll final int change)
    {
        final ByteBuffer slot = result(seed, rows, tokens, wide ? 2 : 1);
        assertNull(fault(slot));
        final int content = (rows + 15) / 16 * 64 + tokens * LAYERS * TOP_K * (wide ? 2 : 1);
        if (content > 0)
        {
            final int at = OFFSET + 64 + Math.floorMod(change, content);
            slot.put(at, (byte)(slot.get(at) + 1 + (change >>> 24) % 255));
            assertTrue(fault(slot).startsWith("the checksum"));
        }
    }

    @Test
    void shouldReadTheHeaderTheTokensAndTheExperts()
    {
        final ByteBuffer bytes = result(5, 17, 3, 2);
        final ResultSlot slot = wrap(bytes);
        assertArrayEquals(new int[] {2, 3, 17, 3, 5, 2, 6, 7, 41}, new int[] {
            slot.rank(), slot.tokens(), slot.entries(), slot.layers(), slot.topK(), slot.idBytes(), slot.unwritten(),
            slot.bad(), slot.generation()});
        assertEquals(41, slot.step());
        assertEquals(bytes.getInt(OFFSET + 64 + 4 * 16), slot.sampledToken(16));
        assertEquals(OFFSET + 64 + 128, slot.expertsOffset());
        assertEquals(3 * LAYERS * TOP_K * 2, slot.expertsBytes());
        final int last = OFFSET + 64 + 128 + ((2 * LAYERS + 1) * TOP_K + 4) * 2;
        assertEquals(bytes.getShort(last) & 0xFFFF, slot.expert(2, 1, 4));
    }

    @Test
    void shouldReadRowsWithWeightsBehindThePartsOfLogProbabilities()
    {
        final int rowBytes = LAYERS * TOP_K * 5;
        final ByteBuffer bytes = ByteBuffer.allocateDirect(1024).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(12, 2).putInt(16, 3).putInt(20, LAYERS).putInt(24, TOP_K | 1 << 8 | 4 << 16 | 2 << 24).putInt(28, -1);
        bytes.putFloat(64 + 4 * (3 + 1), -1.5f).putFloat(64 + 4 * (6 + 1), 2.0f);
        bytes.put(64 + 64 + rowBytes + TOP_K + 2, (byte)200);
        final ResultSlot slot = new ResultSlot().wrap(new UnsafeBuffer(bytes), 0, 1024);

        assertEquals((float)(-1.5f - StrictMath.log(2.0)), slot.logprob(1));
        assertEquals(200, slot.expert(1, 1, 2));
        assertArrayEquals(new int[] {128, 2 * rowBytes, 4, 2, -1}, new int[] {
            slot.expertsOffset(), slot.expertsBytes(), slot.weightBytes(), slot.extraWords(), slot.noNumber()});
    }

    @Test
    void d20ShouldReadTheHighestExpertOnBothSidesOfTheByteBoundary()
    {
        for (final int experts : new int[] {255, 256, 257, 512})
        {
            final int idBytes = ExpertRouterSpec.plain(experts, 1, ExpertRouterMode.SOFTMAX_TOPK, LogitsType.BF16).idBytes();
            final ByteBuffer bytes = result(1, 1, 1, idBytes);
            final int at = OFFSET + 128 + (TOP_K + 2) * idBytes;
            bytes.put(at, (byte)(experts - 1));
            if (idBytes == 2)
            {
                bytes.put(at + 1, (byte)(experts - 1 >> 8));
            }
            assertEquals(experts - 1, wrap(bytes).expert(0, 1, 2));
        }
    }

    @Test
    void shouldSayWhichResultIsThereInsteadOfTheOneThatWasExpected()
    {
        final ResultSlot slot = wrap(result(1, 1, 1, 1));
        assertTrue(slot.fault(STEP + 1, 2, STEP, FINGERPRINT).contains("step 41 of rank 2, generation 41"));
        assertNotNull(slot.fault(STEP, 3, STEP, FINGERPRINT));
        assertNotNull(slot.fault(STEP, 2, STEP + 1, FINGERPRINT));
        assertTrue(slot.fault(STEP, 2, STEP, 1).contains("fingerprint 123456789abcdef0"));
        assertEquals("the header holds no result", fault(result(1, 1, 1, 1).putInt(OFFSET + 60, 0)));
    }

    @Test
    void shouldNotFollowAHeaderOutOfItsSlot()
    {
        for (final int field : new int[] {12, 16, 20, 24})
        {
            for (final int value : new int[] {-1, Integer.MIN_VALUE, 1000, Integer.MAX_VALUE})
            {
                final ByteBuffer slot = result(1, 1, 1, 1).putInt(OFFSET + field, value);
                assertEquals("the header tells of more bytes than a slot has", fault(slot));
            }
        }
        final ByteBuffer all = result(1, 1, 1, 2);
        for (final int field : new int[] {12, 16, 20, 24})
        {
            all.putInt(OFFSET + field, Integer.MAX_VALUE);
        }
        assertEquals("the header tells of more bytes than a slot has", fault(all));
    }
}
