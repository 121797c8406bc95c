// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

/** Sampled tokens without a model: the function of the kernel sample_seeded and of the simulated backend. */
public final class SeededTokens
{
    private static final int TOKEN_ID_MASK = 0xFFFF;
    private static final long REQUEST_GAMMA = 0x9E3779B97F4A7C15L;
    private static final long POSITION_GAMMA = 0xD1B54A32D192ED03L;

    private SeededTokens()
    {
    }

    /** @param position the position that the token will take, one above that of the last token it was sampled from. */
    public static int token(final long seed, final long request, final int position)
    {
        return (int)mixBits(placeKey(seed, request, position)) & TOKEN_ID_MASK;
    }

    static long placeKey(final long seed, final long request, final int position)
    {
        return seed + request * REQUEST_GAMMA + position * POSITION_GAMMA;
    }

    /** The finaliser of SplitMix64. */
    static long mixBits(final long value)
    {
        long bits = value;
        bits = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
        bits = (bits ^ (bits >>> 27)) * 0x94D049BB133111EBL;
        return bits ^ (bits >>> 31);
    }
}
