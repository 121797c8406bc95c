// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.AttentionPlan;
import io.signalbox.model.AttentionWindow;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertScoring;
import io.signalbox.model.ExpertsPlan;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelFamily;
import io.signalbox.model.QkNorm;
import io.signalbox.model.WeightType;
import io.signalbox.model.YarnScaling;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Sequences that are computed once alone, token by token on one thread with plain tables, and once in random chunks in
 * random mixtures, with random blocks, sizes of blocks and threads; both must have the same bits.
 */
final class MixedForward
{
    /** Positions enough for two segments of values. */
    private static final int LONGEST = 300;
    /** Its head has several tasks. */
    private static final int VOCABULARY = 1000;

    /** Models of float32, then of bf16. */
    private static final ForwardModel[][] MODELS = {
        {model(WeightType.F32, ExpertScoring.SOFTMAX_THEN_TOP_K), gptOss(WeightType.F32)},
        {model(WeightType.BF16, ExpertScoring.SIGMOID_GROUPS), gptOss(WeightType.BF16)}};

    private MixedForward()
    {
    }

    private static ForwardModel model(final WeightType type, final ExpertScoring scoring)
    {
        final boolean groups = scoring == ExpertScoring.SIGMOID_GROUPS;
        final AttentionPlan attention =
            AttentionPlan.of(4, 2, 10, 10_000.0).withQkNorm(groups ? QkNorm.PER_HEAD : QkNorm.FULL_WIDTH)
                .withClip(groups ? 0.0 : 1.5);
        final ExpertsPlan experts = ExpertsPlan.softmax(8, 3, 12, true).withScoring(scoring)
            .withGroups(groups ? 4 : 1, groups ? 2 : 1).withScale(groups ? 2.5 : 1.0).withSharedExperts(groups ? 1 : 0);
        return ForwardModel.of(GeneratedModel.weights(DecoderPlan.of(groups ? ModelFamily.DEEPSEEK_V3 : ModelFamily.OLMOE,
            type, 3, 40, VOCABULARY, attention, experts).withMoeLayers(groups ? List.of(1, 2) : List.of(0, 1, 2),
            groups ? 50 : 0), 11));
    }

    /** Windows of more than one sum's lanes; a limit that clamps. */
    private static ForwardModel gptOss(final WeightType type)
    {
        final AttentionPlan attention = AttentionPlan.of(4, 2, 10, 150_000.0)
            .withYarn(new YarnScaling(4.0, 32, 32.0, 1.0, false, 1.1, 1.0))
            .withWindow(new AttentionWindow(37, List.of(0, 2))).withBiases(true).withSinks(true);
        final ExpertsPlan experts =
            ExpertsPlan.softmax(8, 3, 12, false).withScoring(ExpertScoring.TOP_K_THEN_SOFTMAX).withLimit(0.75);
        return ForwardModel.of(GeneratedModel.weights(DecoderPlan.of(ModelFamily.GPT_OSS, type, 3, 40, VOCABULARY,
            attention, experts), 11));
    }

    /** The results of one sequence, by position. */
    private record Results(float[][] logits, int[][] experts, float[][] weights)
    {
        Results(final int length)
        {
            this(new float[length][], new int[length][], new float[length][]);
        }

        void take(final ForwardPass pass, final DecoderPlan plan, final int token, final int position)
        {
            final int row = plan.moeLayers().size() * plan.experts().topK();
            logits[position] =
                Arrays.copyOfRange(pass.logits(), token * plan.vocabulary(), (token + 1) * plan.vocabulary());
            experts[position] = Arrays.copyOfRange(pass.expertIds(), token * row, (token + 1) * row);
            weights[position] = Arrays.copyOfRange(pass.expertWeights(), token * row, (token + 1) * row);
        }
    }

    /** Throws an {@link AssertionError} if a bit differs. */
    static void check(final long seed, final boolean rounded, final int threads)
    {
        final ForwardModel model = MODELS[rounded ? 1 : 0][Long.bitCount(seed) % 2];
        final Precision precision = rounded ? Precision.BF16 : Precision.F32;
        final SplittableRandom random = new SplittableRandom(seed);
        final List<int[]> sequences = new ArrayList<>();
        for (int i = 0; i < 4; i++)
        {
            final int length = i == 0 ? 1 + random.nextInt(LONGEST) : 1 + random.nextInt(40);
            sequences.add(random.ints(length, 0, model.plan().vocabulary()).toArray());
        }
        final List<Results> mixed = mixed(model, precision, sequences, threads, random);
        for (int i = 0; i < sequences.size(); i++)
        {
            compare(alone(model, precision, sequences.get(i)), mixed.get(i), "sequence " + i);
        }
    }

    private static Results alone(final ForwardModel model, final Precision precision, final int[] sequence)
    {
        final Results results = new Results(sequence.length);
        final int[] table = {0};
        try (WorkTeam team = new WorkTeam(1, "team"))
        {
            final ForwardPass pass =
                new ForwardPass(model, precision, new PagedKv(model.plan(), 1, sequence.length), team);
            final TokenBatch batch = new TokenBatch();
            for (int position = 0; position < sequence.length; position++)
            {
                batch.clear();
                batch.add(sequence[position], position, table);
                batch.sampleLast();
                pass.run(batch);
                results.take(pass, model.plan(), 0, position);
            }
        }
        return results;
    }

    private static List<Results> mixed(
        final ForwardModel model, final Precision precision, final List<int[]> sequences, final int threads,
        final SplittableRandom random)
    {
        final int blockSize = 1 + random.nextInt(20);
        final List<int[]> tables = new ArrayList<>();
        final List<Results> results = new ArrayList<>();
        int blocks = 0;
        for (final int[] sequence : sequences)
        {
            final int[] table = new int[(sequence.length + blockSize - 1) / blockSize];
            final int first = blocks;
            Arrays.setAll(table, index -> first + table.length - 1 - index);
            blocks += table.length;
            tables.add(table);
            results.add(new Results(sequence.length));
        }
        try (WorkTeam team = new WorkTeam(threads, "team"))
        {
            final ForwardPass pass = new ForwardPass(model, precision, new PagedKv(model.plan(), blocks, blockSize), team);
            final int[] done = new int[sequences.size()];
            while (step(pass, model.plan(), sequences, tables, results, done, random))
            {
                assertEquals(sequences.size(), done.length);
            }
        }
        return results;
    }

    /** One step of a random mixture; returns whether there was any token left. */
    private static boolean step(
        final ForwardPass pass, final DecoderPlan plan, final List<int[]> sequences, final List<int[]> tables,
        final List<Results> results, final int[] done, final SplittableRandom random)
    {
        final TokenBatch batch = new TokenBatch();
        final List<int[]> origins = new ArrayList<>();
        boolean left = false;
        for (int i = 0; i < done.length; i++)
        {
            final int open = sequences.get(i).length - done[i];
            left |= open > 0;
            final int chunk = random.nextInt(3) == 0 ? Math.min(open, 1) : Math.min(open, random.nextInt(40));
            for (int token = 0; token < chunk; token++)
            {
                batch.add(sequences.get(i)[done[i]], done[i], tables.get(i));
                batch.sampleLast();
                origins.add(new int[] {i, done[i]++});
            }
        }
        pass.run(batch);
        for (int token = 0; token < origins.size(); token++)
        {
            results.get(origins.get(token)[0]).take(pass, plan, token, origins.get(token)[1]);
        }
        return left;
    }

    private static void compare(final Results expected, final Results actual, final String sequence)
    {
        for (int position = 0; position < expected.logits.length; position++)
        {
            final String where = sequence + ", position " + position;
            assertArrayEquals(expected.experts[position], actual.experts[position], where);
            assertArrayEquals(expected.weights[position], actual.weights[position], where);
            assertArrayEquals(expected.logits[position], actual.logits[position], where);
        }
    }
}
