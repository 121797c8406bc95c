// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.trtllm;

/**
 * The permutation that Python's {@code random.Random(seed).shuffle} yields: the Mersenne Twister MT19937 of Matsumoto
 * and Nishimura, seeded by the 32-bit limbs of the seed, and the shuffle of Fisher and Yates with rejection. A pure
 * function of its arguments; the state is here only to be reused.
 */
public final class SeededShuffle
{
    private static final int SIZE = 624;
    private static final int MIDDLE = 397;
    private static final int[] BASE = base();

    private final int[] state = new int[SIZE];
    private int index;

    /** The state that seeding by an array starts from. */
    private static int[] base()
    {
        final int[] base = new int[SIZE];
        base[0] = 19_650_218;
        for (int i = 1; i < SIZE; i++)
        {
            base[i] = 1_812_433_253 * (base[i - 1] ^ base[i - 1] >>> 30) + i;
        }
        return base;
    }

    /** @param seed counts by its absolute value, that of the least long being 2^63. */
    public void seed(final long seed)
    {
        final long magnitude = Math.abs(seed);
        final int low = (int)magnitude;
        final int high = (int)(magnitude >>> 32);
        System.arraycopy(BASE, 0, state, 0, SIZE);
        int i = 1;
        boolean second = false;
        for (int k = 0; k < SIZE; k++)
        {
            final int limb = second ? high + 1 : low;
            state[i] = (state[i] ^ (state[i - 1] ^ state[i - 1] >>> 30) * 1_664_525) + limb;
            i = next(i);
            second = high != 0 && !second;
        }
        for (int k = 1; k < SIZE; k++)
        {
            state[i] = (state[i] ^ (state[i - 1] ^ state[i - 1] >>> 30) * 1_566_083_941) - i;
            i = next(i);
        }
        state[0] = 0x8000_0000;
        index = 0;
    }

    private int next(final int i)
    {
        if (i + 1 < SIZE)
        {
            return i + 1;
        }
        state[0] = state[SIZE - 1];
        return 1;
    }

    /** The next 32 bits, each word of the state renewed as it is needed. */
    public int nextInt()
    {
        final int at = index;
        final int following = at + 1 == SIZE ? 0 : at + 1;
        final int mixed = state[at] & 0x8000_0000 | state[following] & 0x7FFF_FFFF;
        final int partner = at + MIDDLE < SIZE ? at + MIDDLE : at + MIDDLE - SIZE;
        final int renewed = state[partner] ^ mixed >>> 1 ^ ((mixed & 1) == 0 ? 0 : 0x9908_B0DF);
        state[at] = renewed;
        index = following;
        int bits = renewed ^ renewed >>> 11;
        bits ^= bits << 7 & 0x9D2C_5680;
        bits ^= bits << 15 & 0xEFC6_0000;
        return bits ^ bits >>> 18;
    }

    /** Shuffles the first {@code count} values by the seed. */
    public void shuffle(final long seed, final int[] values, final int count)
    {
        seed(seed);
        for (int i = count - 1; i > 0; i--)
        {
            final int j = below(i + 1);
            final int value = values[i];
            values[i] = values[j];
            values[j] = value;
        }
    }

    private int below(final int bound)
    {
        final int shift = Integer.numberOfLeadingZeros(bound);
        int drawn = nextInt() >>> shift;
        while (drawn >= bound)
        {
            drawn = nextInt() >>> shift;
        }
        return drawn;
    }
}
