// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.backend.RankSizes;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.WeightType;

import java.util.ArrayList;
import java.util.List;

/**
 * The fast kernels beside the exact ones on the same device: choices of experts, tokens and logits, which may differ as far
 * as {@link LikenessOfChoices} allows.
 */
final class FastKernels
{
    private static final int SEQUENCES = 4;
    private static final int BLOCKS = 8;
    /** Tokens of each sequence in the first steps; in later ones each has one token. */
    private static final int[] CHUNKS = {12, 5};
    private static final int STEPS = 12;
    /** One for each tiling. */
    private static final int WIDE_STEPS = 3;
    /** Heads of several queries, and products of every tiling. */
    private static final List<CheckedModel> PLACED = List.of(CheckedModel.SMALL.get(1), CheckedModel.WIDE);

    private FastKernels()
    {
    }

    static void compare(
        final CheckDevice device, final CheckConfig options, final CheckedModel model, final Findings findings)
    {
        final ModelWeights weights = GeneratedModel.weights(model.plan(WeightType.BF16), options.seed());
        try (ModelSteps exact = ModelSteps.weighed(
            device, options.device(), weights, sizes(), KernelFamily.EXACT);
            ModelSteps fast = exact.weighedBeside(options.device(), sizes(), KernelFamily.FAST))
        {
            compare(exact, fast, model, model.name(), model == CheckedModel.WIDE ? WIDE_STEPS : STEPS,
                LikenessOfChoices.LEAST_SHARE, findings);
            if (PLACED.contains(model))
            {
                FastPlaces.compare(options, model, model.name(), exact, findings);
            }
        }
    }

    /**
     * The large model on the weights that it has. Behind a few other choices in many layers the shares of equal ones say
     * nothing, so they are counted only.
     */
    static void compareLarge(
        final CheckConfig options, final CheckedModel model, final ModelSteps large, final Findings findings)
    {
        try (ModelSteps exact = large.weighedBeside(options.device(), sizes(), KernelFamily.EXACT);
            ModelSteps fast = large.weighedBeside(options.device(), sizes(), KernelFamily.FAST))
        {
            compare(exact, fast, model, model.name() + " as timed", STEPS, 0.0, findings);
        }
        FastPlaces.compare(options, model, model.name() + " as timed", large, findings);
    }

    private static RankSizes sizes()
    {
        return ModelSection.sizes(BLOCKS, SEQUENCES * CHUNKS[0], SEQUENCES);
    }

    /** Both are fed what the exact kernels sample. */
    private static void compare(
        final ModelSteps exact, final ModelSteps fast, final CheckedModel model, final String of, final int steps,
        final double leastShare, final Findings findings)
    {
        final String name = of + ", fast kernels";
        final int[][] tables = ModelSection.tables(SEQUENCES, BLOCKS / SEQUENCES);
        final LikenessOfChoices likeness = new LikenessOfChoices(model.shape().shape(), SEQUENCES, leastShare);
        int position = 0;
        for (int step = 0; step < steps; step++)
        {
            final int count = step < CHUNKS.length ? CHUNKS[step] : 1;
            final int[] sampled = step < CHUNKS.length ? null : exact.sampled();
            final List<ModelToken> fed = tokens(position, count, tables, sampled, model.shape().vocabulary());
            exact.run(fed);
            fast.run(fed);
            if (exact.fault() != null || fast.fault() != null)
            {
                findings.failed(name + ": " + (fast.fault() == null ? exact.fault() : fast.fault()) + ".");
                return;
            }
            likeness.add(exact, fast);
            position += count;
        }
        likeness.report(name, findings);
    }

    /** @param sampled a token for each sequence; null: chunks of a prompt. */
    private static List<ModelToken> tokens(
        final int from, final int count, final int[][] tables, final int[] sampled, final int vocabulary)
    {
        final List<ModelToken> tokens = new ArrayList<>();
        for (int sequence = 0; sequence < SEQUENCES; sequence++)
        {
            for (int i = 0; i < count; i++)
            {
                final int id = sampled == null ? (31 * (from + i) + 7 * sequence + 3) % vocabulary : sampled[sequence];
                tokens.add(new ModelToken(id, from + i, tables[sequence], i == count - 1));
            }
        }
        return tokens;
    }
}
