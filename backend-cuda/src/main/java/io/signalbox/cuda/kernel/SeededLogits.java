// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.SeededTokens;
import io.signalbox.StateDigest;
import io.signalbox.config.Setting;

import java.util.List;

/**
 * Router logits without a model: a pure function of what they belong to, equal to that of the kernel logits_seeded.
 *
 * @param levels distinct values, 1 to 512; few of them make ties abound. All are exact in bf16.
 */
public record SeededLogits(long seed, int levels)
{
    public static final int MAX_LEVELS = 512;
    public static final Setting<Long> SEED =
        Setting.number("seed", "", 1, Long.MIN_VALUE, Long.MAX_VALUE, "Seed of logits and sampled tokens.");
    public static final Setting<Integer> LEVELS = Setting.integer("levels", "", MAX_LEVELS, 1, MAX_LEVELS,
        "Distinct values of the logits; few of them make ties abound. bf16 holds all exactly.");
    public static final List<Setting<?>> SETTINGS = List.of(SEED, LEVELS);
    private static final long LAYER_GAMMA = 0x8CB92BA72F3D8DD7L;
    private static final long EXPERT_GAMMA = 0xABC98388FB8FAC03L;
    private static final float LOGIT_STEP = 0.03125f;

    public SeededLogits
    {
        LEVELS.check(levels);
    }

    public float logit(final long request, final int position, final int layer, final int expert)
    {
        final long key =
            SeededTokens.placeKey(seed, request, position) + (layer + 1) * LAYER_GAMMA + expert * EXPERT_GAMMA;
        final int level = (int)((StateDigest.finalise(key) >>> 32) * levels >>> 32);
        return (level - levels / 2) * LOGIT_STEP;
    }

    /** Fills in the logits of one token and layer, one for each expert. */
    public void fill(final long request, final int position, final int layer, final float[] logits)
    {
        for (int expert = 0; expert < logits.length; expert++)
        {
            logits[expert] = logit(request, position, layer, expert);
        }
    }
}
