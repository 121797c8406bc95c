// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv.hash;

import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Properties of both functions, for all prompts, keys and block sizes. */
class BlockHasherPropertyTest
{
    private static final byte[] NO_KEY = new byte[0];

    private static long[] hash(
        final BlockHashFunction function, final int blockSize, final byte[] cacheKey, final int... tokens)
    {
        final long[] hashes = new long[tokens.length / blockSize];
        BlockHasher.of(function, blockSize).hash(tokens, tokens.length, cacheKey, hashes);
        return hashes;
    }

    /** The first block whose hash differs. */
    private static int firstDifference(
        final BlockHashFunction function, final int blockSize, final int[] one, final int[] other)
    {
        final long[] oneHashes = hash(function, blockSize, NO_KEY, one);
        final long[] otherHashes = hash(function, blockSize, NO_KEY, other);
        final int first = Arrays.mismatch(oneHashes, otherHashes);
        for (int i = Math.max(0, first); first >= 0 && i < oneHashes.length; i++)
        {
            assertNotEquals(oneHashes[i], otherHashes[i], "a chain that parted met again");
        }
        return first;
    }

    @Property
    void shouldGiveTheHashesOfTheModel(
        @ForAll final BlockHashFunction function,
        @ForAll @IntRange(min = 1, max = 80) final int blockSize,
        @ForAll @Size(max = 300) final byte[] cacheKey,
        @ForAll @Size(max = 400) final int[] tokens)
    {
        assertArrayEquals(
            new BlockHashModel(function, blockSize).hashes(cacheKey, tokens), hash(function, blockSize, cacheKey, tokens));
    }

    /** A chain behind any block leads to the hashes of the blocks behind it. */
    @Property
    void shouldContinueAChainAsIfThePromptWereHashedAtOnce(
        @ForAll final BlockHashFunction function,
        @ForAll @IntRange(min = 1, max = 40) final int blockSize,
        @ForAll @Size(max = 30) final byte[] cacheKey,
        @ForAll @Size(max = 200) final int[] tokens,
        @ForAll @IntRange(min = 0, max = 200) final int length)
    {
        final long[] all = hash(function, blockSize, cacheKey, tokens);
        final long[] known = new long[all.length];
        final BlockHasher client = BlockHasher.of(function, blockSize);
        final int hashed = client.hash(tokens, Math.min(length, tokens.length), cacheKey, known);
        final byte[] chain = new byte[client.chainBytes()];
        client.chain(chain);

        final BlockHasher core = BlockHasher.of(function, blockSize);
        for (int block = hashed; block < all.length; block++)
        {
            known[block] = core.extend(chain, Arrays.copyOfRange(tokens, block * blockSize, tokens.length));
        }
        assertArrayEquals(all, known);
    }

    @Property
    void shouldGiveOnlyPositiveHashes(@ForAll final long digestHead)
    {
        assertTrue(BlockHasher.positive(digestHead) > 0);
        assertEquals(Long.remainderUnsigned(digestHead, Long.MAX_VALUE) + 1, BlockHasher.positive(digestHead));
    }

    @Property
    void shouldGiveAPrefixTheHashesOfItsPrompt(
        @ForAll final BlockHashFunction function,
        @ForAll @IntRange(min = 1, max = 40) final int blockSize,
        @ForAll @Size(max = 200) final int[] tokens,
        @ForAll @IntRange(min = 0, max = 200) final int length)
    {
        final int[] prefix = Arrays.copyOf(tokens, Math.min(length, tokens.length));
        final long[] ofPrefix = hash(function, blockSize, NO_KEY, prefix);

        assertArrayEquals(Arrays.copyOf(hash(function, blockSize, NO_KEY, tokens), ofPrefix.length), ofPrefix);
    }

    @Property
    void shouldChangeItsBlockAndAllBehindWithOneBitOfOneToken(
        @ForAll final BlockHashFunction function,
        @ForAll @IntRange(min = 1, max = 40) final int blockSize,
        @ForAll @Size(min = 120, max = 200) final int[] tokens,
        @ForAll @IntRange(min = 0, max = 80 * Integer.SIZE - 1) final int bit)
    {
        final int position = bit / Integer.SIZE;
        final int[] changed = tokens.clone();
        changed[position] ^= 1 << bit % Integer.SIZE;

        assertEquals(position / blockSize, firstDifference(function, blockSize, tokens, changed));
    }

    @Property
    void shouldKeepTheOrderOfTokens(
        @ForAll final BlockHashFunction function,
        @ForAll @IntRange(min = 1, max = 40) final int blockSize,
        @ForAll @Size(min = 120, max = 200) final int[] tokens,
        @ForAll @IntRange(min = 0, max = 6399) final int places)
    {
        final int one = places % 80;
        final int other = places / 80;
        Assume.that(tokens[one] != tokens[other]);
        final int[] swapped = tokens.clone();
        swapped[one] = tokens[other];
        swapped[other] = tokens[one];

        assertEquals(Math.min(one, other) / blockSize, firstDifference(function, blockSize, tokens, swapped));
    }

    @Property
    void shouldKeepThePlaceOfATokenAmongZeros(
        @ForAll final BlockHashFunction function,
        @ForAll @IntRange(min = 1, max = 40) final int blockSize,
        @ForAll final int token,
        @ForAll @IntRange(min = 0, max = 78) final int position)
    {
        Assume.that(token != 0);
        final int[] here = new int[120];
        final int[] next = new int[120];
        here[position] = token;
        next[position + 1] = token;

        assertEquals(position / blockSize, firstDifference(function, blockSize, here, next));
    }

    @Property
    void shouldShareNothingUnderKeysThatDiffer(
        @ForAll final BlockHashFunction function,
        @ForAll @Size(max = 300) final byte[] one,
        @ForAll @Size(max = 300) final byte[] other)
    {
        Assume.that(!Arrays.equals(one, other));
        final int[] tokens = new int[80];
        final long[] ones = hash(function, 16, one, tokens);
        final long[] others = hash(function, 16, other, tokens);
        for (int i = 0; i < ones.length; i++)
        {
            assertNotEquals(ones[i], others[i]);
        }
    }
}
