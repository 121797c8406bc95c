// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.WeightType;

import java.util.ArrayList;
import java.util.List;

/**
 * The fast kernels beside the exact ones on the same device: choices of experts and tokens of small models of three
 * families, which may differ if scores are close, and the time of steps.
 */
final class FastKernels
{
    private static final int SEQUENCES = 4;
    private static final int BLOCKS = 8;
    private static final int STEPS = 12;
    private static final int CHUNK_TOKENS = 12;
    private FastKernels()
    {
    }

    static void compare(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        for (final CheckedModel model : CheckedModel.SMALL)
        {
            final ModelWeights weights = GeneratedModel.weights(model.plan(WeightType.BF16), options.seed());
            try (ModelSteps exact = ModelSteps.weighed(device, options.device(), weights,
                ModelSection.sizes(BLOCKS, SEQUENCES * CHUNK_TOKENS, SEQUENCES));
                ModelSteps fast = exact.fast(options.device()))
            {
                compare(exact, fast, model, findings);
            }
        }
    }

    /** Both are fed what the exact kernels sample. */
    private static void compare(
        final ModelSteps exact, final ModelSteps fast, final CheckedModel model, final Findings findings)
    {
        final String name = model.name() + ", fast kernels";
        final int[][] tables = ModelSection.tables(SEQUENCES, BLOCKS / SEQUENCES);
        final LikenessOfChoices likeness = new LikenessOfChoices(model.shape().shape(), SEQUENCES);
        for (int step = 0; step < STEPS; step++)
        {
            final List<ModelToken> fed = tokens(step, tables, exact.sampled(), model.shape().vocabulary());
            exact.run(fed);
            fast.run(fed);
            if (exact.fault() != null || fast.fault() != null)
            {
                findings.failed(name + ": " + (fast.fault() == null ? exact.fault() : fast.fault()) + ".");
                return;
            }
            likeness.add(exact, fast);
        }
        likeness.report(name, findings);
    }

    /** A chunk of each sequence, then a token of each. */
    private static List<ModelToken> tokens(
        final int step, final int[][] tables, final int[] sampled, final int vocabulary)
    {
        final List<ModelToken> tokens = new ArrayList<>();
        for (int sequence = 0; sequence < SEQUENCES; sequence++)
        {
            final int count = step == 0 ? CHUNK_TOKENS : 1;
            for (int i = 0; i < count; i++)
            {
                final int position = step == 0 ? i : CHUNK_TOKENS + step - 1;
                final int id = step == 0 ? (31 * i + 7 * sequence + 3) % vocabulary : sampled[sequence];
                tokens.add(new ModelToken(id, position, tables[sequence], i == count - 1));
            }
        }
        return tokens;
    }

    /** The same steps as of the exact kernels, on the same weights, as far as a second pool has room. */
    static void measure(
        final CheckDevice device, final CheckConfig options, final CheckedModel model, final ModelSteps exact,
        final ModelWeights weights, final ModelFloor floor, final Findings findings)
    {
        final long free = (long)(device.driver().freeMemoryBytes() * ModelSection.MEMORY_SHARE);
        final List<Integer> batches = model.batches().stream()
            .filter(batch -> batch.equals(model.batches().get(0)) || floor.kvBytes(batch, model.context()) < free).toList();
        final int most = batches.get(batches.size() - 1);
        final String name = model.name() + ", fast kernels: ";
        try (ModelSteps fast = exact.fast(options.device(), ModelSection.sizes(
            ModelSection.blocks(model, most), Math.max(most, model.prefill()), most)))
        {
            for (final int batch : batches)
            {
                ModelSection.report(findings, name + "decode of " + batch + " at context " + model.context(),
                    ModelSection.median(fast, ModelSection.decode(model, weights, batch)),
                    floor.decodeMillis(batch, model.context()));
            }
            ModelSection.report(findings, name + "prefill of " + model.prefill(),
                ModelSection.median(fast, List.of(ModelSection.prefill(model, weights))),
                floor.decodeMillis(model.prefill(), 0));
        }
    }
}
