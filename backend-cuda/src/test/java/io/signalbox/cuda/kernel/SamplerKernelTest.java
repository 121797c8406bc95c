// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.TestStrength;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.KernelArguments;
import io.signalbox.model.forward.NoNumberException;
import io.signalbox.model.forward.TokenSampler;
import io.signalbox.model.forward.TokenSampler.SamplingChoice;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** The sampler on the emulated driver chooses the tokens of Java's, with the bits of their log-probabilities. */
class SamplerKernelTest
{
    private static final int SAMPLING_BYTES = 24;
    private static final int LEFT_OUT_BYTES = 12;
    private static final int HEADER_BYTES = 64;
    private static final int RESULT_BYTES = 4096;
    private static final int MAX_ENTRIES = 200;
    private static final int NOT_SAMPLED = -1;
    /** Fewer than entries, so that each block samples several. */
    private static final int BLOCKS = 3;
    private static final int THREADS = 256;
    private static final SamplingChoice GREEDY = new SamplingChoice(0.0f, 0, 1.0f, 0);

    private DeviceRig rig;

    /**
     * A row of logits, how to sample from it, and the position of the token.
     *
     * @param stopTokens left out at positions before {@code mayStopAt}.
     */
    private record Entry(float[] logits, SamplingChoice choice, int position, int[] stopTokens, int mayStopAt)
    {
        Entry(final float[] logits, final SamplingChoice choice, final int position)
        {
            this(logits, choice, position, new int[0], 0);
        }
    }

    /** Logits of one shape. */
    private enum Shape
    {
        SPREAD, TIED, EQUAL, CLOSE, LESS_THAN_NOTHING, WITH_NO_CHANCE, ONE_INFINITE, ALL_IMPOSSIBLE, ZEROS, LARGE;

        float logit(final SplittableRandom random, final int id, final int special)
        {
            return switch (this)
            {
                case SPREAD -> (float)(3 * random.nextGaussian());
                case TIED -> random.nextInt(-3, 3) * 0.5f;
                case EQUAL -> 1.25f;
                case CLOSE -> 20 + random.nextInt(5) * Math.ulp(20f);
                case LESS_THAN_NOTHING -> (float)(-40 - 5 * random.nextDouble());
                case WITH_NO_CHANCE -> id % 3 == 0 ? Float.NEGATIVE_INFINITY : (float)(30 * random.nextGaussian());
                case ONE_INFINITE -> id == special ? Float.POSITIVE_INFINITY : random.nextInt(3);
                case ALL_IMPOSSIBLE -> Float.NEGATIVE_INFINITY;
                case ZEROS -> random.nextBoolean() ? 0.0f : -0.0f;
                case LARGE -> (float)(1e38 * (random.nextInt(7) - 3));
            };
        }

        float[] row(final long seed, final int count)
        {
            final SplittableRandom random = new SplittableRandom(seed);
            final int special = random.nextInt(count);
            final float[] logits = new float[count];
            for (int i = 0; i < count; i++)
            {
                logits[i] = logit(random, i, special);
            }
            return logits;
        }
    }

    @BeforeEach
    void open()
    {
        EmulatedDriver.assumeAvailable();
        rig = new DeviceRig(1 << 23);
    }

    @AfterEach
    void orderForward()
    {
        EmulatedDriver.order(EmulatedDriver.Order.FORWARD, 0);
    }

    /** Writes a step of one token per entry, samples, and gives what is in the result slot. */
    private ResultSlot sample(final List<Entry> entries, final int threads)
    {
        final int n = entries.size();
        final int count = entries.get(0).logits().length;
        final DeviceMemory logits = rig.driver.allocate((long)n * count * Float.BYTES);
        for (int row = 0; row < n; row++)
        {
            for (int i = 0; i < count; i++)
            {
                rig.staged().putFloat(Float.BYTES * (row * count + i), entries.get(row).logits()[i]);
            }
        }
        rig.upload(logits, logits.bytes());
        final int feed = (HEADER_BYTES + 16 * n + 7) / 8 * 8;
        final int ids = entries.stream().mapToInt(entry -> entry.stopTokens().length).sum();
        final int leftOut = feed + (SAMPLING_BYTES + 8) * n;
        final DeviceMemory step = rig.driver.allocate(leftOut + (ids == 0 ? 0L : LEFT_OUT_BYTES * n + Integer.BYTES * ids));
        final ByteBuffer block = rig.staged();
        block.putLong(0, 1).putInt(8, n).putInt(12, n).putInt(16, 0);
        block.putInt(44, feed).putInt(48, ids == 0 ? 0 : leftOut).putInt(52, 2).putInt(60, 0);
        for (int row = 0; row < n; row++)
        {
            final SamplingChoice choice = entries.get(row).choice();
            final int at = feed + SAMPLING_BYTES * row;
            block.putFloat(at, choice.temperature()).putInt(at + 4, choice.topK()).putFloat(at + 8, choice.topP());
            block.putInt(at + 12, entries.get(row).position()).putLong(at + 16, choice.seed());
        }
        if (ids > 0)
        {
            putStopTokens(entries, block, leftOut);
        }
        rig.upload(step, step.bytes());
        final DeviceMemory results = rig.driver.allocate(RESULT_BYTES);
        final DeviceMemory sampled = rig.driver.allocate((long)MAX_ENTRIES * Integer.BYTES);
        rig.driver.fill(results, 0, RESULT_BYTES / Integer.BYTES, rig.stream);
        final KernelArguments arguments = new KernelArguments(7).pointer(step).pointer(logits).int32(count).pointer(sampled)
            .int32(MAX_ENTRIES).pointer(results).int64(RESULT_BYTES);
        rig.driver.launch(rig.driver.prepareLaunch(
            rig.driver.kernel(rig.module, KernelNames.DECODER_SAMPLE), BLOCKS, threads, 0, arguments), rig.stream);
        final ByteBuffer copy = ByteBuffer.allocateDirect(RESULT_BYTES).put(0, rig.download(results), 0, RESULT_BYTES);
        copy.order(ByteOrder.LITTLE_ENDIAN).putInt(16, n);
        for (final DeviceMemory memory : List.of(logits, step, results, sampled))
        {
            rig.driver.free(memory);
        }
        return new ResultSlot().wrap(new UnsafeBuffer(copy), 0, RESULT_BYTES);
    }

    private static void putStopTokens(final List<Entry> entries, final ByteBuffer block, final int at)
    {
        int first = 0;
        for (int row = 0; row < entries.size(); row++)
        {
            final Entry entry = entries.get(row);
            block.putInt(at + LEFT_OUT_BYTES * row, first).putInt(at + LEFT_OUT_BYTES * row + 4, entry.stopTokens().length)
                .putInt(at + LEFT_OUT_BYTES * row + 8, entry.mayStopAt());
            for (final int id : entry.stopTokens())
            {
                block.putInt(at + LEFT_OUT_BYTES * entries.size() + Integer.BYTES * first++, id);
            }
        }
    }

    private void compare(final List<Entry> entries, final int threads)
    {
        final ResultSlot result = sample(entries, threads);
        final TokenSampler sampler = new TokenSampler();
        int wrong = 0;
        for (int i = 0; i < entries.size(); i++)
        {
            final Entry entry = entries.get(i);
            final float[] logits = entry.logits();
            if (entry.position() < entry.mayStopAt())
            {
                TokenSampler.leaveOut(entry.stopTokens(), logits, 0, logits.length);
            }
            final String name =
                "entry " + i + " of " + logits.length + " logits, " + entry.choice() + ", " + threads + " threads";
            final int token = expected(sampler, entry);
            assertEquals(token, result.sampledToken(i), name);
            if (token == NOT_SAMPLED)
            {
                wrong++;
                continue;
            }
            assertEquals(sampler.logprob(logits, 0, logits.length, token), result.logprob(i), name + ", log-probability");
        }
        assertEquals(wrong == 0 ? 0 : -1, result.noNumber());
    }

    private static int expected(final TokenSampler sampler, final Entry entry)
    {
        try
        {
            return sampler.next(entry.logits(), 0, entry.logits().length, entry.choice(), entry.position());
        }
        catch (final NoNumberException ex)
        {
            return NOT_SAMPLED;
        }
    }

    private static List<Entry> entries(final Shape shape, final int count, final SplittableRandom random, final int most)
    {
        final float[] temperatures = {0.0f, 1e-6f, 0.3f, 1.0f, 2.5f, 1e30f};
        final int[] topKs = {0, 1, 2, count / 2 + 1, count - 1, count, count + 1, 50};
        final float[] topPs = {1e-9f, 0.1f, 0.5f, 0.95f, Math.nextDown(1.0f), 1.0f};
        final List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < most; i++)
        {
            final float[] logits = shape.row(random.nextLong(), count);
            entries.add(new Entry(logits, new SamplingChoice(temperatures[i % temperatures.length],
                topKs[random.nextInt(topKs.length)], topPs[random.nextInt(topPs.length)], random.nextLong()),
                random.nextInt(4096)));
        }
        return entries;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 31, 32, 33, 255, 256, 257, 2047, 2048, 2049})
    void shouldChooseAsJavaForEveryShapeOfLogits(final int count)
    {
        final SplittableRandom random = new SplittableRandom(count);
        for (final Shape shape : Shape.values())
        {
            compare(entries(shape, count, random, TestStrength.count(12, 36)), THREADS);
        }
    }

    /** The vocabulary of a real model, and one of which a run of ids has more than a batch. */
    @ParameterizedTest
    @ValueSource(ints = {50_304, 65_537, 151_936})
    void shouldChooseAsJavaFromALargeVocabulary(final int count)
    {
        final SplittableRandom random = new SplittableRandom(count);
        for (final Shape shape : List.of(Shape.SPREAD, Shape.TIED, Shape.CLOSE))
        {
            compare(entries(shape, count, random, 6), THREADS);
        }
    }

    /** Of equal tokens at the end of those that stay, the first ones by id stay, whatever their number. */
    @ParameterizedTest
    @ValueSource(ints = {33, 300, 2100})
    void shouldCutARankAtEveryPlace(final int count)
    {
        final SplittableRandom random = new SplittableRandom(count);
        final List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < 60; i++)
        {
            final float[] logits = Shape.TIED.row(random.nextLong(), count);
            final int topK = i % 3 == 2 ? 0 : 1 + random.nextInt(count);
            final float topP = i % 3 == 0 ? 1.0f : (float)random.nextDouble(0.05, 1.0);
            entries.add(new Entry(logits, new SamplingChoice(4.0f, topK, topP, random.nextLong()), i));
        }
        compare(entries, THREADS);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 32, 257, 2049})
    void shouldSayThatALogitIsNoNumber(final int count)
    {
        final SplittableRandom random = new SplittableRandom(count);
        final List<Entry> entries = new ArrayList<>();
        for (final SamplingChoice choice : List.of(GREEDY, new SamplingChoice(1.0f, 3, 0.5f, 7)))
        {
            for (final int at : new int[] {0, count / 2, count - 1})
            {
                final float[] logits = Shape.SPREAD.row(random.nextLong(), count);
                entries.add(new Entry(logits.clone(), choice, 3));
                logits[at] = Float.NaN;
                entries.add(new Entry(logits, choice, 3));
                assertThrows(NoNumberException.class, () -> new TokenSampler().next(logits, 0, count, choice, 3));
            }
        }
        compare(entries, THREADS);
    }

    @Test
    void shouldServeBlocksOfAnyNumberOfWarps()
    {
        final SplittableRandom random = new SplittableRandom(5);
        for (final int threads : new int[] {32, 96, 160, 224})
        {
            for (final Shape shape : List.of(Shape.SPREAD, Shape.TIED))
            {
                compare(entries(shape, 9001, random, 6), threads);
            }
        }
    }

    /** Any part of the vocabulary, before, at and after the first position at which a request may stop. */
    @ParameterizedTest
    @EnumSource(EmulatedDriver.Order.class)
    void shouldLeaveOutStopTokensUntilTheRequestMayStop(final EmulatedDriver.Order order)
    {
        EmulatedDriver.order(order, 7);
        final SplittableRandom random = new SplittableRandom(11);
        for (final int count : new int[] {3, 64, 301, 5003})
        {
            final List<Entry> entries = new ArrayList<>();
            for (final Entry entry : entries(Shape.SPREAD, count, random, 30))
            {
                // Half of them leave out the most probable token.
                final int[] stopTokens = random.ints(0, count).limit(random.nextInt(Math.min(count, 64))).sorted().distinct()
                    .toArray();
                if (stopTokens.length > 0 && random.nextBoolean())
                {
                    entry.logits()[stopTokens[random.nextInt(stopTokens.length)]] = 50.0f;
                }
                entries.add(new Entry(
                    entry.logits(), entry.choice(), entry.position(), stopTokens, entry.position() + random.nextInt(-1, 3)));
            }
            compare(entries, THREADS);
        }
    }

    /** A block that depends on the order of its warps lacks a barrier. */
    @ParameterizedTest
    @EnumSource(EmulatedDriver.Order.class)
    void shouldNotDependOnTheOrderOfWarps(final EmulatedDriver.Order order)
    {
        EmulatedDriver.order(order, 11);
        final SplittableRandom random = new SplittableRandom(9);
        for (final Shape shape : List.of(Shape.SPREAD, Shape.TIED, Shape.WITH_NO_CHANCE))
        {
            compare(entries(shape, 5003, random, 12), THREADS);
        }
    }

    /** A sum of the most shares that a digit can have, each the largest one. */
    @Test
    void shouldCarryBetweenTheWordsOfASum()
    {
        final float[] logits = new float[4099];
        Arrays.fill(logits, 2.0f);
        Arrays.fill(logits, 0, 2000, 2.0f - Math.ulp(1.0f));
        final List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < 20; i++)
        {
            entries.add(new Entry(logits, new SamplingChoice(1.0f, 0, (i + 0.5f) / 20, i), i));
        }
        compare(entries, THREADS);
    }
}
