// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.model.ModelWeights;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Steps of chunks of several sequences, which then continue with the token that they sampled, on the device; the results
 * are kept until Java computes the same steps.
 */
final class ComparedSteps
{
    static final int SEQUENCES = 3;
    static final int CHUNK_TOKENS = 6;
    static final int BLOCKS = 24;
    private static final int STEPS = 5;
    private static final int CHUNKS = 2;

    /** @param fault why there is no result; null: there is one. */
    record Result(List<ModelToken> tokens, int[] sampled, byte[] rows, String fault)
    {
    }

    private final String name;
    private final List<Result> results = new ArrayList<>();

    /** Computes the steps, up to the first that has no result. */
    ComparedSteps(final String name, final ModelSteps steps, final int vocabulary)
    {
        this.name = name;
        final int[][] tables = ModelSection.tables(SEQUENCES, BLOCKS / SEQUENCES);
        final int[] lengths = new int[SEQUENCES];
        for (int step = 0; step < STEPS && steps.fault() == null; step++)
        {
            final List<ModelToken> tokens = new ArrayList<>();
            for (int sequence = 0; sequence < SEQUENCES; sequence++)
            {
                final int count = step < CHUNKS ? CHUNK_TOKENS - sequence : 1;
                for (int i = 0; i < count; i++)
                {
                    final int id = step < CHUNKS ? (31 * lengths[sequence] + 7 * sequence + 3) % vocabulary :
                        steps.sampled()[sequence];
                    tokens.add(new ModelToken(id, lengths[sequence]++, tables[sequence], step > 0 && i == count - 1));
                }
            }
            steps.run(tokens);
            results.add(new Result(tokens, steps.sampled(), steps.rows(), steps.fault()));
        }
    }

    /**
     * Has Java compute the same steps. Whether all is equal.
     *
     * @param abandoned whether the result is no longer wanted.
     */
    boolean compareWithJava(final ModelWeights weights, final BooleanSupplier abandoned, final Findings findings)
    {
        int compared = 0;
        try (ModelOracle oracle = new ModelOracle(weights, ModelSection.sizes(BLOCKS, 1, 1)))
        {
            for (int step = 0; step < results.size() && !abandoned.getAsBoolean(); step++)
            {
                final String wrong = oracle.difference(name + ", step " + step, results.get(step));
                if (wrong != null && !abandoned.getAsBoolean())
                {
                    findings.failed(wrong);
                    return false;
                }
                compared += results.get(step).tokens().size();
            }
        }
        if (!abandoned.getAsBoolean())
        {
            findings.count(name + ": tokens equal to Java's, with their experts", compared);
        }
        return true;
    }
}
