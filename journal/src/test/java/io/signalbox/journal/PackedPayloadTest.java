// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

final class PackedPayloadTest
{
    private static final int ROOM = 64;

    @Property
    void shouldUnpackWhatWasPacked(
        @ForAll @IntRange(min = 1, max = 2) final int idBytes,
        @ForAll @IntRange(min = 1, max = 16) final int widest,
        @ForAll @IntRange(min = 1, max = 40) final int rows,
        @ForAll @IntRange(min = 1, max = 70) final int ids,
        @ForAll @IntRange(max = 40) final int rest,
        @ForAll @IntRange(max = 50) final int around,
        @ForAll final long seed)
    {
        final Random random = new Random(seed);
        final int bits = Math.min(widest, idBytes * 8);
        final RowRegion region = new RowRegion(null).set(around, rows, ids, rest, idBytes);
        final byte[] payload = payload(region, bits, around + region.bytes() + around / 2, random);
        final PackedPayload packed = new PackedPayload();

        if (packed.pack(padded(payload, 7), 7, payload.length, region, ROOM))
        {
            assertTrue(packed.length() <= payload.length - 32, packed.length() + " of " + payload.length);
            final PackedPayload unpacked = new PackedPayload();
            assertNull(unpacked.unpack(packed.bytes(), ROOM, packed.length()));
            assertArrayEquals(payload, Arrays.copyOf(unpacked.bytes(), unpacked.length()));
        }
        else
        {
            final long saved = (long)rows * (ids * idBytes - PackedIds.packedBytes(ids, bits));
            assertTrue(saved < 32 + 20 + 1, "it would save " + saved + " bytes");
        }
    }

    /** Ids of which at least one takes all bits, among other bytes. */
    private static byte[] payload(final RowRegion region, final int bits, final int length, final Random random)
    {
        final byte[] payload = new byte[length];
        random.nextBytes(payload);
        int at = region.start();
        for (int row = 0; row < region.rows(); row++)
        {
            for (int i = 0; i < region.ids(); i++)
            {
                final int id = i == 0 ? 1 << bits - 1 : random.nextInt(1 << bits);
                payload[at++] = (byte)id;
                if (region.idBytes() == 2)
                {
                    payload[at++] = (byte)(id >> 8);
                }
            }
            at += region.rest();
        }
        return payload;
    }

    private static byte[] padded(final byte[] payload, final int ahead)
    {
        final byte[] bytes = new byte[ahead + payload.length + PackedIds.SLACK_BYTES];
        Arrays.fill(bytes, (byte)-1);
        System.arraycopy(payload, 0, bytes, ahead, payload.length);
        return bytes;
    }

    /** The example of docs/journal.md. */
    @Test
    void shouldPackAsThePageSays()
    {
        final byte[] payload = new byte[130];
        for (int i = 0; i < 128; i++)
        {
            payload[1 + i] = (byte)(i % 8);
        }
        payload[0] = 9;
        payload[129] = 8;
        final PackedPayload packed = new PackedPayload();

        assertTrue(packed.pack(padded(payload, 0), 0, 130, new RowRegion(null).set(1, 1, 128, 0, 1), 0));
        assertEquals("01000000" + "01000000" + "80000000" + "00000000" + "01030000" + "09" + "88c6fa".repeat(16) + "08",
            HexFormat.of().formatHex(packed.bytes(), 0, packed.length()));
    }

    @Test
    void shouldNotPackRowsThatAreMissing()
    {
        final byte[] payload = new byte[4000];
        Arrays.fill(payload, 2000, 2016, (byte)-1);

        assertFalse(new PackedPayload().pack(padded(payload, 0), 0, 4000, new RowRegion(null).set(0, 1, 4000, 0, 1), 0));
    }

    /** Also every length of a header that says nothing true: no memory is asked for that the record does not back. */
    @Test
    void shouldRefuseHeadersThatDoNotFitTheirBytes()
    {
        final PackedPayload packed = new PackedPayload();
        final byte[] payload = payload(new RowRegion(null).set(30, 4, 100, 3, 1), 5, 500, new Random(5));
        assertTrue(packed.pack(padded(payload, 0), 0, 500, new RowRegion(null).set(30, 4, 100, 3, 1), 0));
        final byte[] good = Arrays.copyOf(packed.bytes(), packed.length() + PackedIds.SLACK_BYTES);
        final int length = packed.length();
        final Random random = new Random(11);
        final int[] values = {0, 1, -1, 4, 101, 1 << 16, 1 << 20, Integer.MAX_VALUE, Integer.MIN_VALUE, 0x1000_0000};
        int refused = 0;
        for (int i = 0; i < Strength.of(100_000, 2_000_000); i++)
        {
            final byte[] bytes = good.clone();
            for (int change = 0; change <= random.nextInt(3); change++)
            {
                Envelope.putInt32(bytes, 4 * random.nextInt(5), values[random.nextInt(values.length)]);
            }
            final PackedPayload unpacked = new PackedPayload();
            final String fault = unpacked.unpack(bytes, 0, length);
            refused += fault == null ? 0 : 1;
            assertTrue(unpacked.length() <= 16 * length, "a result of " + unpacked.length() + " bytes");
            assertTrue(unpacked.bytes().length <= 40 * length, "a buffer of " + unpacked.bytes().length + " bytes");
        }
        assertTrue(refused > 10_000, "only " + refused + " were refused");
    }

    @Test
    void shouldSayWhyAPayloadCannotBeUnpacked()
    {
        assertEquals("its 19 bytes are fewer than the 20 of its header", new PackedPayload().unpack(new byte[60], 0, 19));
        final byte[] wide = new byte[60];
        Envelope.putInt32(wide, 16, 1 | 8 << 8);
        assertEquals("it gives ids of 1 bytes 8 bits each", new PackedPayload().unpack(wide, 0, 44));
        final byte[] bomb = new byte[60];
        Envelope.putInt32(bomb, 4, 1);
        Envelope.putInt32(bomb, 8, Integer.MAX_VALUE);
        Envelope.putInt32(bomb, 16, 1 | 1 << 8);
        assertEquals("its 1 rows of 2147483647 ids and 0 bytes do not fit its 44 bytes",
            new PackedPayload().unpack(bomb, 0, 44));
        assertNotNull(new PackedPayload().unpack(new byte[60], 0, 44));
        final byte[] reserved = ofThreeIds();
        assertNull(new PackedPayload().unpack(reserved, 0, 22));
        reserved[19] = 1;
        assertEquals("its header has 256 where 0 must be", new PackedPayload().unpack(reserved, 0, 22));
        final byte[] behind = ofThreeIds();
        behind[21] = (byte)0x80;
        assertEquals("its 1 bits behind the ids of a row are not 0", new PackedPayload().unpack(behind, 0, 22));
    }

    /** Two bytes with three ids of five bits. */
    private static byte[] ofThreeIds()
    {
        final byte[] packed = new byte[60];
        packed[4] = 1;
        packed[8] = 3;
        packed[16] = 1;
        packed[17] = 5;
        return packed;
    }
}
