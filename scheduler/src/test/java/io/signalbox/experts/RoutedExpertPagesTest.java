// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import io.signalbox.ConfigException;
import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RoutedExpertPagesTest
{
    private static UnsafeBuffer rows(final ModelShape shape, final int count, final int expert)
    {
        final UnsafeBuffer rows = new UnsafeBuffer(new byte[count * shape.rowBytes()]);
        for (int i = 0; i < rows.capacity(); i += shape.idBytes())
        {
            if (shape.idBytes() == 1)
            {
                rows.putByte(i, (byte)expert);
            }
            else
            {
                rows.putShort(i, (short)expert);
            }
        }
        return rows;
    }

    private static short read(final RoutedExpertPages pages, final int page, final int row)
    {
        final short[] ids = new short[pages.shape().moeLayers() * pages.shape().topK()];
        new RowReader(pages).read(new int[]{page}, row, row + 1, ids);
        return ids[ids.length - 1];
    }

    @Test
    void shouldReadAMissingRowAsMinusOneAndExpertZeroAsZero()
    {
        final ModelShape shape = new ModelShape(2, 64, 2);
        final RoutedExpertPages pages = new RoutedExpertPages(shape, 16);
        final int page = pages.allocate();
        pages.store(page, 3, 1, rows(shape, 1, 0), 0);
        assertEquals(RoutedExpertPages.MISSING, read(pages, page, 2));
        assertEquals(0, read(pages, page, 3));
        assertEquals(1, pages.validRows(page, 0, 16));
    }

    /** Every length has its own end behind the groups of four words. */
    @Test
    void shouldDigestARowOfAnyLengthAsTheDefinitionDoes()
    {
        final byte[] bytes = new byte[200];
        for (int i = 0; i < bytes.length; i++)
        {
            bytes[i] = (byte)(i * 151 + 7);
        }
        for (int length = 1; length < 190; length++)
        {
            assertEquals(slowDigest(5, bytes, 3, length), RowDigest.of(5, bytes, 3, length), length + " bytes");
        }
    }

    /** Word by word: words of whole groups go to four lanes by turns, the others, then the last bytes, to the first one. */
    private static long slowDigest(final int row, final byte[] bytes, final int start, final int length)
    {
        final ByteBuffer source = ByteBuffer.wrap(bytes, start, length).order(ByteOrder.LITTLE_ENDIAN);
        final long[] lanes = {(row + 1) * 0x9E3779B97F4A7C15L, 0, 0, 0};
        for (int word = 0; source.hasRemaining(); word++)
        {
            final int lane = word < length / 32 * 4 ? word % 4 : 0;
            final long value = source.remaining() < Long.BYTES ? source.get() & 0xFF : source.getLong();
            final long product = (lanes[lane] ^ value) * 0x9E3779B97F4A7C15L;
            lanes[lane] = product ^ product >>> 32;
        }
        return StateDigest.mix(lanes[0] ^ Long.rotateLeft(lanes[1], 16) ^ Long.rotateLeft(lanes[2], 32) ^
            Long.rotateLeft(lanes[3], 48));
    }

    @Test
    void shouldKeepTheFirstWriteOfARow()
    {
        final ModelShape shape = new ModelShape(1, 64, 1);
        final RoutedExpertPages pages = new RoutedExpertPages(shape, 4);
        final int page = pages.allocate();
        assertEquals(1, pages.store(page, 1, 1, rows(shape, 1, 7), 0));
        assertEquals(3, pages.store(page, 0, 4, rows(shape, 4, 9), 0));
        assertEquals(7, read(pages, page, 1));
        assertEquals(9, read(pages, page, 0));
    }

    @Test
    void shouldDigestRowsOfOneWordAsSingleRows()
    {
        final ModelShape shape = new ModelShape(4, 64, 2);
        assertEquals(Long.BYTES, shape.rowBytes());
        for (final int count : new int[] {5, 15, 16, 17, 512, 1_100})
        {
            final RoutedExpertPages pages = new RoutedExpertPages(shape, 1_200);
            final UnsafeBuffer rows = rows(shape, count, 1);
            for (int i = 0; i < rows.capacity(); i++)
            {
                rows.putByte(i, (byte)(i % 61));
            }
            pages.store(pages.allocate(), 7, count, rows, 0);
            assertNotEquals(0, pages.digest());
            assertEquals(pages.recomputeDigest(), pages.digest(), count + " rows");
        }
    }

    @Test
    void shouldHoldIdsOnBothSidesOfTheOneByteBoundary()
    {
        for (final int experts : new int[] {255, 256, 257, 512, 32_768})
        {
            final ModelShape shape = new ModelShape(2, experts, 2);
            assertEquals(experts <= 256 ? 1 : 2, shape.idBytes());
            final RoutedExpertPages pages = new RoutedExpertPages(shape, 2);
            final int page = pages.allocate();
            pages.store(page, 1, 1, rows(shape, 1, experts - 1), 0);
            assertEquals(experts - 1, read(pages, page, 1));
        }
    }

    @Test
    void shouldForgetItsRowsWithTheLastReferenceOnly()
    {
        final ModelShape shape = new ModelShape(1, 64, 1);
        final RoutedExpertPages pages = new RoutedExpertPages(shape, 2);
        final int page = pages.allocate();
        pages.store(page, 0, 2, rows(shape, 2, 5), 0);
        pages.retain(page);
        pages.release(page);
        assertEquals(5, read(pages, page, 1));
        pages.release(page);
        assertEquals(0, pages.livePages());
        assertEquals(0, pages.digest());
        final int again = pages.allocate();
        assertEquals(page, again);
        assertEquals(0, pages.validRows(again, 0, 2));
    }

    @Test
    void shouldGiveAnotherDigestForRowsOnePositionOff()
    {
        final ModelShape shape = new ModelShape(1, 64, 1);
        final RoutedExpertPages pages = new RoutedExpertPages(shape, 8);
        final int first = pages.allocate();
        final int second = pages.allocate();
        pages.store(first, 0, 2, rows(shape, 2, 5), 0);
        pages.store(second, 1, 2, rows(shape, 2, 5), 0);
        assertNotEquals(pages.pageDigest(first), pages.pageDigest(second));
    }

    @Test
    void shouldStopOnWritesOutsideAPageAndOnDeadPages()
    {
        final ModelShape shape = new ModelShape(1, 64, 1);
        final RoutedExpertPages pages = new RoutedExpertPages(shape, 2);
        final int page = pages.allocate();
        assertThrows(InvariantViolation.class, () -> pages.store(page, 1, 2, rows(shape, 2, 1), 0));
        pages.release(page);
        assertThrows(InvariantViolation.class, () -> pages.store(page, 0, 1, rows(shape, 1, 1), 0));
        assertThrows(InvariantViolation.class, () -> pages.release(page));
        assertThrows(InvariantViolation.class, () -> pages.retain(page));
    }

    @Test
    void shouldRefuseImpossibleShapes()
    {
        assertThrows(ConfigException.class, () -> new ModelShape(1, ModelShape.MAX_EXPERTS + 1, 1));
        assertThrows(ConfigException.class, () -> new ModelShape(1024, ModelShape.MAX_EXPERTS, ModelShape.MAX_EXPERTS));
        assertThrows(ConfigException.class, () -> new ModelShape(0, 8, 1));
        assertThrows(ConfigException.class, () -> new ModelShape(1, 8, 9));
    }

    @Test
    void shouldTellTheSameBytesApartByTheirPlaceWhateverTheirIds()
    {
        final ModelShape shape = new ModelShape(1, 256, 1);
        final Set<Long> digests = new HashSet<>();
        for (int row = 0; row < 16; row++)
        {
            for (int expert = 0; expert < 256; expert++)
            {
                final RoutedExpertPages pages = new RoutedExpertPages(shape, 16);
                final int page = pages.allocate();
                pages.store(page, row, 1, rows(shape, 1, expert), 0);
                assertTrue(digests.add(pages.pageDigest(page)), "row " + row + " of expert " + expert);
            }
        }
    }

    @Test
    void shouldChangeNothingWhenTheSourceIsTooShort()
    {
        final ModelShape shape = new ModelShape(2, 64, 2);
        final RoutedExpertPages pages = new RoutedExpertPages(shape, 4);
        final int page = pages.allocate();
        pages.store(page, 0, 2, rows(shape, 2, 3), 0);
        final long digest = pages.pageDigest(page);
        for (final UnsafeBuffer source : new UnsafeBuffer[]{
            rows(shape, 1, 5), new UnsafeBuffer(ByteBuffer.allocateDirect(shape.rowBytes() + 1))})
        {
            assertThrows(IndexOutOfBoundsException.class, () -> pages.store(page, 1, 2, source, 0));
            assertEquals(digest, pages.pageDigest(page));
            assertEquals(2, pages.validRows(page, 0, 4));
        }
        assertThrows(InvariantViolation.class, () -> pages.store(page, Integer.MAX_VALUE, 1, rows(shape, 1, 1), 0));
    }

    @Test
    void shouldRefuseRowsAndEntriesThatARequestDoesNotHold()
    {
        final RoutedExpertPages pages = new RoutedExpertPages(new ModelShape(1, 64, 1), 4);
        final RequestRows rows = new RequestRows(pages);
        final BlockPages blocks = new BlockPages(pages, 4);
        rows.allocated(0, 1, blocks, 0, 0);
        assertEquals(4, rows.copy(0, 4).rows());
        assertThrows(RoutedExpertsException.class, () -> rows.copy(0, 5));
        assertThrows(RoutedExpertsException.class, () -> rows.copy(-1, 1));
        assertThrows(RoutedExpertsException.class, () -> rows.copy(2, 1));
        assertThrows(InvariantViolation.class, () -> rows.allocated(2, 2, blocks, 0, 0));
        rows.clear();
        assertThrows(RoutedExpertsException.class, () -> rows.copy(0, 1));
    }
}
