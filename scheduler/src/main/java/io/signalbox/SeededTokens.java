// SPDX-License-Identifier: Apache-2.0
package io.signalbox;

/** Samples tokens without a model; simulated ranks and the GPU kernel {@code sample_seeded} use the same function. */
public final class SeededTokens
{
    /** Every sampled token is below it. */
    public static final int VOCABULARY_SIZE = 1 << 16;

    private static final int TOKEN_ID_MASK = VOCABULARY_SIZE - 1;
    private static final long REQUEST_GAMMA = 0x9E3779B97F4A7C15L;
    private static final long POSITION_GAMMA = 0xD1B54A32D192ED03L;

    private SeededTokens()
    {
    }

    /** @param position position of the new token: one above the last token that it was sampled from. */
    public static int token(final long seed, final long request, final int position)
    {
        return (int)StateDigest.finalise(placeKey(seed, request, position)) & TOKEN_ID_MASK;
    }

    /** Sum of seed, request and position, before it is mixed. */
    public static long placeKey(final long seed, final long request, final int position)
    {
        return seed + request * REQUEST_GAMMA + position * POSITION_GAMMA;
    }
}
