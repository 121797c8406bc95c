// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.trtllm;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** Cases beyond the recorded shuffles: seeds below 0, and more values than the generator's state has words. */
class SeededShuffleTest
{
    private final SeededShuffle shuffle = new SeededShuffle();

    private int[] shuffled(final long seed, final int count)
    {
        final int[] values = IntStream.range(0, count).toArray();
        shuffle.shuffle(seed, values, count);
        return values;
    }

    /** Made by Python 3, the seeds being the absolute values. */
    @ParameterizedTest
    @CsvSource({
        "5, 2 3 1 0 8 7 6 5 4 9", "-5, 2 3 1 0 8 7 6 5 4 9", "2147483648, 3 7 1 4 8 0 9 2 6 5",
        "4294967296, 8 9 3 2 4 7 0 6 5 1", "-9223372036854775808, 5 7 9 2 0 4 1 3 6 8"})
    void shouldShuffleAsPythonDoes(final long seed, final String expected)
    {
        assertEquals(expected,
            Arrays.stream(shuffled(seed, 10)).mapToObj(Integer::toString).collect(Collectors.joining(" ")));
    }

    @Test
    void shouldGoOnWhereTheStateHasBeenUsedUp()
    {
        final int[] values = shuffled(7, 1024);

        assertArrayEquals(new int[] {871, 473, 551, 933, 89, 218, 856, 1019}, Arrays.copyOf(values, 8));
        assertArrayEquals(new int[] {404, 154, 970, 663}, Arrays.copyOfRange(values, 1020, 1024));
    }
}
