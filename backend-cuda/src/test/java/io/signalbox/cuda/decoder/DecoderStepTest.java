// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.cuda.NoNumberPlant;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.cuda.kernel.ResultSlot;
import io.signalbox.model.AttentionPlan;
import io.signalbox.model.AttentionWindow;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertScoring;
import io.signalbox.model.ExpertsPlan;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelFamily;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.QkNorm;
import io.signalbox.model.WeightType;
import io.signalbox.model.YarnScaling;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.model.forward.ForwardPass;
import io.signalbox.model.forward.NoNumberException;
import io.signalbox.model.forward.PagedKv;
import io.signalbox.model.forward.Precision;
import io.signalbox.model.forward.TokenBatch;
import io.signalbox.model.forward.TokenSampler;
import io.signalbox.model.forward.WorkTeam;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** The kernels of a decoder on the emulated driver have the bits of the forward pass in Java. */
class DecoderStepTest
{
    static final int SEQUENCES = 3;
    /** In the second segment of attention. */
    private static final int LAST_POSITION = 264;
    private static final TokenSampler.SamplingChoice GREEDY = new TokenSampler.SamplingChoice(0.0f, 0, 1.0f, 0);

    @BeforeEach
    void assumeDriver()
    {
        EmulatedDriver.assumeAvailable();
    }

    @AfterEach
    void orderForward()
    {
        EmulatedDriver.order(EmulatedDriver.Order.FORWARD, 0);
    }

    private static DecoderPlan plan(final ModelFamily family, final WeightType type)
    {
        return switch (family)
        {
            case OLMOE -> DecoderPlan.of(family, type, 2, 40, 70, AttentionPlan.of(4, 4, 10, 10_000.0)
                .withQkNorm(QkNorm.FULL_WIDTH).withClip(1.5), ExpertsPlan.softmax(8, 3, 12, false));
            case QWEN3_MOE -> DecoderPlan.of(family, type, 3, 48, 70, AttentionPlan.of(6, 2, 36, 1_000_000.0)
                .withQkNorm(QkNorm.PER_HEAD), ExpertsPlan.softmax(40, 4, 20, true)).withMoeLayers(List.of(1, 2), 50)
                .withNormEpsilon(1e-6).withTiedEmbeddings(true);
            case MIXTRAL -> DecoderPlan.of(family, type, 2, 64, 70, AttentionPlan.of(4, 2, 16, 1_000_000.0),
                ExpertsPlan.softmax(8, 2, 40, true));
            case GPT_OSS -> DecoderPlan.of(family, type, 2, 64, 70, AttentionPlan.of(4, 2, 36, 150_000.0).withBiases(true)
                .withSinks(true).withWindow(new AttentionWindow(5, List.of(0)))
                .withYarn(new YarnScaling(8.0, 64, 32.0, 1.0, false, 1.0, 1.0)),
                ExpertsPlan.softmax(8, 4, 20, false).withScoring(ExpertScoring.TOP_K_THEN_SOFTMAX).withLimit(1.0));
            default -> throw new IllegalArgumentException(family.toString());
        };
    }

    @ParameterizedTest
    @CsvSource({"OLMOE, F32, F32", "QWEN3_MOE, BF16, BF16", "GPT_OSS, F32, F32", "QWEN3_MOE, BF16, F32"})
    void shouldHaveTheBitsOfTheForwardPass(
        final ModelFamily family, final WeightType type, final Precision precision)
    {
        compareSteps(plan(family, type), precision);
    }

    @EnabledIfSystemProperty(named = "signalbox.tests", matches = "full")
    @ParameterizedTest
    @CsvSource({"OLMOE, BF16, BF16", "QWEN3_MOE, F32, F32", "MIXTRAL, F32, F32"})
    void shouldHaveTheBitsOfTheForwardPassInEveryMixture(
        final ModelFamily family, final WeightType type, final Precision precision)
    {
        compareSteps(plan(family, type), precision);
    }

    /** The host makes the scaled table and the scale of the scores. */
    @EnabledIfSystemProperty(named = "signalbox.tests", matches = "full")
    @ParameterizedTest
    @EnumSource(Precision.class)
    void shouldHaveTheBitsOfTheForwardPassWithYarn(final Precision precision)
    {
        compareYarn(precision);
    }

    private static void compareYarn(final Precision precision)
    {
        final AttentionPlan attention = AttentionPlan.of(6, 2, 36, 10_000.0).withQkNorm(QkNorm.PER_HEAD)
            .withYarn(new YarnScaling(4.0, 64, 32.0, 1.0, true, 1.25, 1.5));
        compareSteps(DecoderPlan.of(ModelFamily.QWEN3_MOE, WeightType.BF16, 2, 48, 70, attention,
            ExpertsPlan.softmax(40, 4, 20, true)).withNormEpsilon(1e-6).withTiedEmbeddings(true), precision);
    }

    /** A block whose warps and lanes need a barrier that is not there has other bits in one of these orders. */
    @ParameterizedTest
    @CsvSource({"OLMOE, REVERSED", "QWEN3_MOE, PERMUTED", "GPT_OSS, PERMUTED"})
    void shouldHaveTheBitsOfTheForwardPassInAnyOrderOfThreads(
        final ModelFamily family, final EmulatedDriver.Order order)
    {
        EmulatedDriver.order(order, 13);
        compareSteps(plan(family, WeightType.BF16), Precision.BF16);
    }

    /** States, and then queries and keys, have more elements than a block normalises at a time. */
    @ParameterizedTest
    @CsvSource({"REVERSED, 2100, 4, 10", "PERMUTED, 16, 18, 128"})
    void shouldHaveTheBitsOfTheForwardPassWithWideNorms(
        final EmulatedDriver.Order order, final int hidden, final int heads, final int headSize)
    {
        EmulatedDriver.order(order, 19);
        compareSteps(DecoderPlan.of(ModelFamily.OLMOE, WeightType.BF16, 1, hidden, 70,
            AttentionPlan.of(heads, heads, headSize, 10_000.0).withQkNorm(QkNorm.FULL_WIDTH).withClip(1.5),
            ExpertsPlan.softmax(8, 2, 8, false)), Precision.BF16);
    }

    private static void compareSteps(final DecoderPlan plan, final Precision precision)
    {
        final ModelWeights weights = GeneratedModel.weights(plan, 11);
        final SplittableRandom random = new SplittableRandom(plan.family().ordinal() + 1);
        try (WorkTeam team = new WorkTeam(1, "team"); DecoderRig rig = new DecoderRig(weights, precision))
        {
            final ForwardModel model = ForwardModel.of(weights, precision);
            final ForwardPass pass =
                new ForwardPass(model, precision, new PagedKv(weights.plan(), 200, DecoderRig.BLOCK_SIZE), team);
            final int[] lengths = new int[SEQUENCES];
            for (int step = 0; step < 4; step++)
            {
                final List<DecoderRig.Token> tokens = step(random, lengths, weights.plan().vocabulary());
                final int bucket = step % 2 == 0 ? tokens.size() : DecoderRig.MAX_TOKENS;
                pass.run(batch(tokens));
                rig.run(tokens, bucket);
                compare(weights.plan(), tokens, pass, rig, "step " + step);
            }
        }
    }

    /**
     * More positions than a segment has, in blocks of which segments and tiles of keys are multiples or are not; heads that
     * leave room for several segments at a time, and heads that a block computes in two parts; and heads of 128 elements, as
     * few tasks and as more tasks than multiprocessors.
     */
    @ParameterizedTest
    @CsvSource({"F32, 3, 322, 1", "BF16, 12, 128, 5"})
    void shouldHaveTheBitsOfTheForwardPassAfterManyPositions(
        final WeightType type, final int blockSize, final int headSize, final int heads)
    {
        comparePositions(type, blockSize, headSize, heads);
    }

    @EnabledIfSystemProperty(named = "signalbox.tests", matches = "full")
    @ParameterizedTest
    @CsvSource({"BF16, 13, 34, 1", "BF16, 16, 128, 1"})
    void shouldHaveTheBitsOfTheForwardPassAfterManyPositionsInOtherBlocks(
        final WeightType type, final int blockSize, final int headSize, final int heads)
    {
        comparePositions(type, blockSize, headSize, heads);
    }

    /** The same for attention, as few tasks. */
    @ParameterizedTest
    @CsvSource({"REVERSED", "PERMUTED"})
    void shouldAttendToManyPositionsInAnyOrderOfThreads(final EmulatedDriver.Order order)
    {
        EmulatedDriver.order(order, 17);
        comparePositions(WeightType.BF16, 12, 128, 1);
    }

    @EnabledIfSystemProperty(named = "signalbox.tests", matches = "full")
    @ParameterizedTest
    @CsvSource({"FORWARD, 16", "REVERSED, 12"})
    void shouldAttendWithMoreTasksThanMultiprocessors(final EmulatedDriver.Order order, final int blockSize)
    {
        EmulatedDriver.order(order, 17);
        comparePositions(WeightType.BF16, blockSize, 128, 5);
    }

    /** A window that begins within a tile of keys, and in the segment before that of its end. */
    @ParameterizedTest
    @CsvSource({"BF16, REVERSED, 12, 100", "F32, FORWARD, 3, 1"})
    void shouldAttendWithinAWindow(
        final WeightType type, final EmulatedDriver.Order order, final int blockSize, final int window)
    {
        EmulatedDriver.order(order, 17);
        comparePositions(DecoderPlan.of(ModelFamily.GPT_OSS, type, 1, 16, 70, AttentionPlan.of(2, 1, 34, 150_000.0)
            .withSinks(true).withWindow(new AttentionWindow(window, List.of(0))),
            ExpertsPlan.softmax(8, 2, 8, false).withLimit(7.0)), blockSize);
    }

    private static void comparePositions(
        final WeightType type, final int blockSize, final int headSize, final int heads)
    {
        comparePositions(DecoderPlan.of(ModelFamily.MIXTRAL, type, 1, 16, 70,
            AttentionPlan.of(heads, 1, headSize, 1_000_000.0), ExpertsPlan.softmax(8, 2, 8, true)), blockSize);
    }

    private static void comparePositions(final DecoderPlan plan, final int blockSize)
    {
        final ModelWeights weights = GeneratedModel.weights(plan, 11);
        final Precision precision = Precision.of(plan.type());
        final int[] table = new int[DecoderRig.MAX_POSITIONS / blockSize];
        Arrays.setAll(table, index -> table.length - 1 - index);
        try (WorkTeam team = new WorkTeam(1, "team");
            DecoderRig rig = new DecoderRig(weights, precision, KernelFamily.EXACT, blockSize))
        {
            final ForwardPass pass = new ForwardPass(
                ForwardModel.of(weights, precision), precision, new PagedKv(plan, table.length, blockSize), team);
            int position = 0;
            while (position < LAST_POSITION)
            {
                final List<DecoderRig.Token> tokens = new ArrayList<>();
                for (int i = 0; i < DecoderRig.MAX_TOKENS; i++, position++)
                {
                    tokens.add(new DecoderRig.Token(31 * position % 70, position, table, i == 11));
                }
                pass.run(batch(tokens));
                rig.run(tokens, DecoderRig.MAX_TOKENS);
                compare(plan, tokens, pass, rig, "up to position " + position);
            }
        }
    }

    /** Chunks of some sequences, each in separate blocks. */
    static List<DecoderRig.Token> step(final SplittableRandom random, final int[] lengths, final int vocabulary)
    {
        final List<DecoderRig.Token> tokens = new ArrayList<>();
        for (int sequence = 0; sequence < lengths.length; sequence++)
        {
            final int[] table = new int[12];
            final int own = sequence;
            Arrays.setAll(table, index -> (11 - index) * SEQUENCES + own);
            final int count = random.nextInt(8);
            for (int i = 0; i < count; i++)
            {
                tokens.add(new DecoderRig.Token(
                    random.nextInt(vocabulary), lengths[sequence]++, table, i == count - 1 && random.nextBoolean()));
            }
        }
        return tokens.isEmpty() ? step(random, lengths, vocabulary) : tokens;
    }

    private static TokenBatch batch(final List<DecoderRig.Token> tokens)
    {
        final TokenBatch batch = new TokenBatch();
        batch.clear();
        for (final DecoderRig.Token token : tokens)
        {
            batch.add(token.id(), token.position(), token.table());
            if (token.sampled())
            {
                batch.sampleLast();
            }
        }
        return batch;
    }

    private static void compare(
        final DecoderPlan plan, final List<DecoderRig.Token> tokens, final ForwardPass pass, final DecoderRig rig,
        final String step)
    {
        final int row = plan.moeLayers().size() * plan.experts().topK();
        int entry = 0;
        for (int token = 0; token < tokens.size(); token++)
        {
            assertArrayEquals(Arrays.copyOfRange(pass.expertIds(), token * row, (token + 1) * row), rig.experts(token),
                step + ", experts of token " + token);
            if (tokens.get(token).sampled())
            {
                assertArrayEquals(
                    Arrays.copyOfRange(pass.logits(), entry * plan.vocabulary(), (entry + 1) * plan.vocabulary()),
                    rig.logits(entry), 0.0f, step + ", logits of token " + token);
                entry++;
            }
        }
        compareLogprobs(plan, entry, pass, rig, step);
    }

    private static void compareLogprobs(
        final DecoderPlan plan, final int entries, final ForwardPass pass, final DecoderRig rig, final String step)
    {
        final ResultSlot result = rig.result(entries);
        final TokenSampler sampler = new TokenSampler();
        for (int entry = 0; entry < entries; entry++)
        {
            final int at = entry * plan.vocabulary();
            final int token = sampler.next(pass.logits(), at, plan.vocabulary(), GREEDY, 0);
            assertEquals(token, result.sampledToken(entry), step);
            assertEquals(sampler.logprob(pass.logits(), at, plan.vocabulary(), token), result.logprob(entry), 0.0f, step);
        }
        assertEquals(0, result.noNumber(), step);
    }

    /** The reference throws; the device says what was no number, first, and in which layer. */
    @ParameterizedTest
    @CsvSource({"0, NaN, 1", "1, NaN, 2", "1, Infinity, 2", "0, -Infinity, 1", "2, NaN, -1"})
    void shouldSayWhatIsNoNumber(final int layer, final float planted, final int found)
    {
        final ModelWeights weights = GeneratedModel.weights(plan(ModelFamily.OLMOE, WeightType.F32), 11);
        final ModelWeights wrong = NoNumberPlant.in(weights, layer, planted);
        final List<DecoderRig.Token> tokens = List.of(new DecoderRig.Token(3, 0, new int[] {5}, false),
            new DecoderRig.Token(4, 1, new int[] {5}, true));
        try (WorkTeam team = new WorkTeam(1, "team"); DecoderRig rig = new DecoderRig(wrong, Precision.F32))
        {
            final ForwardPass pass = new ForwardPass(
                ForwardModel.of(wrong, Precision.F32), Precision.F32,
                new PagedKv(weights.plan(), 200, DecoderRig.BLOCK_SIZE), team);
            assertThrows(NoNumberException.class, () ->
            {
                pass.run(batch(tokens));
                new TokenSampler().next(pass.logits(), 0, weights.plan().vocabulary(), GREEDY, 0);
            });
            rig.run(tokens, DecoderRig.MAX_TOKENS);

            assertEquals(found, rig.result(1).noNumber());
        }
    }
}
