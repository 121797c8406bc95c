// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import io.signalbox.cuda.driver.EmulatedDriver.Order;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Products of tiles and late copies of the emulated driver, with the layouts of the PTX ISA. */
class EmulatedTensorTest
{
    private static final int LANES = 32;
    private static final int ROWS = 16;
    private static final int VECTORS = 8;
    private static final int COLUMNS = 16;
    private static final int ILLEGAL_ADDRESS = 700;
    private static final int NOT_LANDED = 0xA5A5A5A5;

    private EmulatedRank rank;

    @BeforeEach
    void open()
    {
        EmulatedDriver.assumeAvailable();
        rank = new EmulatedRank();
    }

    /** Small whole numbers: bf16 holds them, and every order of sums gives the same. */
    private static int[] whole(final int count, final SplittableRandom random)
    {
        return IntStream.range(0, count).map(i -> random.nextInt(-99, 100)).toArray();
    }

    /** Pairs of bf16 in words. */
    private static int[] bf16(final int[] values)
    {
        return IntStream.range(0, values.length / 2)
            .map(i -> Float.floatToRawIntBits(values[2 * i]) >>> 16 |
                Float.floatToRawIntBits(values[2 * i + 1]) & 0xFFFF0000).toArray();
    }

    @ParameterizedTest
    @EnumSource
    void shouldMultiplyTilesAsAPlainProduct(final Order order)
    {
        EmulatedDriver.order(order, 11);
        final SplittableRandom random = new SplittableRandom(11);
        final int[] left = whole(ROWS * COLUMNS, random);
        final int[] right = whole(VECTORS * COLUMNS, random);
        final int[] sums = whole(ROWS * VECTORS, random);
        final DeviceMemory target =
            rank.upload(Arrays.stream(sums).map(sum -> Float.floatToRawIntBits(sum)).toArray());
        rank.launch("test_tile_product", 1, LANES, 0, rank.arguments().pointer(rank.upload(bf16(left)))
            .pointer(rank.upload(bf16(right))).pointer(target));
        final int[] found = rank.download(target, sums.length);
        for (int i = 0; i < sums.length; i++)
        {
            int expected = sums[i];
            for (int column = 0; column < COLUMNS; column++)
            {
                expected += left[i / VECTORS * COLUMNS + column] * right[i % VECTORS * COLUMNS + column];
            }
            assertEquals(expected, Float.intBitsToFloat(found[i]), "row " + i / VECTORS + ", vector " + i % VECTORS);
        }
    }

    @Test
    void shouldLandCopiesWhenTheyAreWaitedFor()
    {
        assertArrayEquals(new int[] {1, 2, 3, 4, 0, 0, 0, 0, 9, 10, 11, 12}, lateCopies(0));
        final int[] first = lateCopies(2);
        assertArrayEquals(new int[] {1, 2, 3, 4}, Arrays.copyOf(first, 4));
        assertTrue(Arrays.stream(first).skip(4).allMatch(word -> word == NOT_LANDED), Arrays.toString(first));
    }

    /** The words of three groups of copies, the second one of zeros, as a thread finds them if so many may be open. */
    private int[] lateCopies(final int open)
    {
        final DeviceMemory target = rank.upload(new int[12]);
        rank.launch("test_late_copies", 1, 1, 0, rank.arguments()
            .pointer(rank.upload(IntStream.rangeClosed(1, 12).toArray())).pointer(target).int32(open));
        return rank.download(target, 12);
    }

    @Test
    void shouldFindAWarpThatIsNotTogether()
    {
        assertFault("test_tile_divergent", "different instructions", CudaException.LAUNCH_FAILED);
    }

    @Test
    void shouldFindRowsThatAreNotShared()
    {
        assertFault("test_tile_not_shared", "outside of shared memory", ILLEGAL_ADDRESS);
    }

    private void assertFault(final String kernel, final String what, final int code)
    {
        rank.launch(kernel, 1, LANES, 0, rank.arguments().pointer(rank.upload(new int[LANES])));
        assertEquals(code, assertThrows(CudaException.class, () -> rank.driver.synchronize(rank.stream)).code());
        assertTrue(EmulatedDriver.lastFault().contains(what), EmulatedDriver.lastFault());
    }
}
