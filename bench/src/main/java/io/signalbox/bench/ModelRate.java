// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import com.sun.management.OperatingSystemMXBean;
import io.signalbox.model.AttentionPlan;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertsPlan;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelException;
import io.signalbox.model.ModelFamily;
import io.signalbox.model.ModelMemory;
import io.signalbox.model.QkNorm;
import io.signalbox.model.WeightType;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.model.forward.ForwardPass;
import io.signalbox.model.forward.PagedKv;
import io.signalbox.model.forward.Precision;
import io.signalbox.model.forward.TokenBatch;
import io.signalbox.model.forward.WorkTeam;
import io.signalbox.sim.HeapLimits;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Tokens per second of the forward pass on a model of the shape of OLMoE-1B-7B with fewer layers and generated weights, in
 * bf16, beside the limits of this machine, measured by turns with the same threads: a step cannot be quicker than its
 * weights are read from memory, nor than its products are computed from the cache. Both limits are those of the Vector
 * API if the JVM has it; plain loops are measured once. Apart from the first column, seconds are CPU seconds of the process
 * divided by the threads, so that a busy machine disturbs passes and limits alike.
 *
 * <pre>{@code ModelRate [layers [threads [rounds [steps]]]]}</pre>
 *
 * Steps are batches of decoding sequences, and {@code prefill}, such as {@code 1,4,prefill}. A model that does not fit the
 * heap or the machine ends the program with one sentence, before any of it is made.
 */
public final class ModelRate
{
    private static final int HIDDEN = 2048;
    private static final int EXPERTS = 64;
    private static final int TOP_K = 8;
    private static final int WIDTH = 1024;
    private static final int VOCABULARY = 50_304;
    private static final int CONTEXT = 128;
    private static final int BLOCK = 16;
    /** Weights per thread that are read from memory: 128 MiB. */
    private static final int STREAMED = 1 << 26;
    /** The streamed weights are read so often, since the process's CPU time counts in 10 ms. */
    private static final int STREAMED_TURNS = 4;
    /** Weights per thread that stay in the second cache: 64 KiB, read often. */
    private static final int CACHED = 1 << 15;
    private static final int CACHED_TURNS = 4000;
    private static final String PREFILL = "prefill";
    /** Most rounds of prefill, which takes a hundred times as long as a decode step. */
    private static final int PREFILLS = 5;
    private static final double GIGA = 1e9;
    private static final OperatingSystemMXBean CPU =
        (OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean();

    private final DecoderPlan plan;
    private final int threads;
    /** The faster ceiling of this JVM. */
    private final WeightCeiling best;
    private final float[] vectors = new float[2 * WeightCeiling.COLUMNS];
    private short[][] streamed;
    private float sink;

    private ModelRate(final int layers, final int threads)
    {
        this.threads = threads;
        final AttentionPlan attention = AttentionPlan.of(16, 16, 128, 10_000.0).withQkNorm(QkNorm.FULL_WIDTH);
        plan = DecoderPlan.of(ModelFamily.OLMOE, WeightType.BF16, layers, HIDDEN, VOCABULARY, attention,
            ExpertsPlan.softmax(EXPERTS, TOP_K, WIDTH, false));
        best = hasVectors() ? vectorCeiling() : new WeightCeiling();
        final SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < vectors.length; i++)
        {
            vectors[i] = (float)random.nextDouble(-1, 1);
        }
    }

    private static boolean hasVectors()
    {
        return ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
    }

    private static WeightCeiling vectorCeiling()
    {
        try
        {
            return (WeightCeiling)Class.forName("io.signalbox.bench.VectorWeightCeiling").getDeclaredConstructor()
                .newInstance();
        }
        catch (final ReflectiveOperationException e)
        {
            throw new IllegalStateException("the class of this module is not in it", e);
        }
    }

    public static void main(final String[] args)
    {
        final int layers = args.length > 0 ? Integer.parseInt(args[0]) : 2;
        final int threads = args.length > 1 ? Integer.parseInt(args[1]) : Runtime.getRuntime().availableProcessors();
        final int rounds = args.length > 2 ? Integer.parseInt(args[2]) : 5;
        final List<String> steps = List.of((args.length > 3 ? args[3] : "1,4,16,32," + PREFILL).split(","));
        try
        {
            new ModelRate(layers, threads).run(rounds, steps);
        }
        catch (final ModelException e)
        {
            System.err.println("ModelRate: " + e.getMessage());
            System.exit(2);
        }
    }

    /** Refuses a model that does not fit, with what this program needs beside it. */
    private void checkMemory(final List<String> steps)
    {
        int sequences = 1;
        for (final String step : steps)
        {
            sequences = Math.max(sequences, step.equals(PREFILL) ? 1 : Integer.parseInt(step));
        }
        final long own = (long)threads * STREAMED * Short.BYTES;
        final ModelMemory memory =
            ModelMemory.of(plan, 1, sequences * (CONTEXT / BLOCK + 1), BLOCK, Math.max(CONTEXT, sequences), sequences);
        System.out.println("memory: at most " + memory.text());
        final HeapLimits limits = new HeapLimits(Runtime.getRuntime().maxMemory() - own, CPU.getTotalMemorySize() - own);
        if (memory.bytes() > limits.usableHeap())
        {
            throw new ModelException("the model needs " + memory.text() + ", and " + limits.text(),
                "give " + limits.larger(memory.bytes()).substring("or ".length()));
        }
    }

    private void run(final int rounds, final List<String> steps)
    {
        checkMemory(steps);
        streamed = new short[threads][STREAMED];
        for (final short[] part : streamed)
        {
            for (int i = 0; i < part.length; i++)
            {
                part[i] = (short)(0x3c00 + (i & 0xff));
            }
        }
        final long start = System.nanoTime();
        final ForwardModel model = ForwardModel.of(GeneratedModel.weights(plan, 1));
        System.out.printf(Locale.ROOT, "%d layers, %d threads, %s; made in %.0f s%n", plan.layers(), threads,
            ForwardPass.arithmetic(), (System.nanoTime() - start) / GIGA);
        for (int turn = 0; turn < 2; turn++)
        {
            print("plain loops", new WeightCeiling());
            print(hasVectors() ? "Vector API" : "plain loops", best);
        }
        System.out.printf("%-16s %10s %12s %10s %10s %10s %8s%n", "step", "tokens/s", "by CPU time", "GB/s read",
            "by memory", "by arith.", "of limit");
        try (WorkTeam team = new WorkTeam(threads, "bench"))
        {
            for (final String step : steps)
            {
                if (step.equals(PREFILL))
                {
                    measure("prefill of " + CONTEXT, model, team, CONTEXT, true, Math.min(rounds, PREFILLS));
                }
                else
                {
                    measure("decode of " + step, model, team, Integer.parseInt(step), false, rounds);
                }
            }
        }
    }

    private void print(final String name, final WeightCeiling ceiling)
    {
        System.out.printf(Locale.ROOT, "ceiling of %s: %.2f GB/s of weights from memory, %.2f G products/s in the cache%n",
            name, bandwidth(ceiling) / GIGA, arithmetic(ceiling) / GIGA);
    }

    private void measure(final String name, final ForwardModel model, final WorkTeam team, final int tokens,
        final boolean prefill, final int rounds)
    {
        final int sequences = prefill ? 1 : tokens;
        final int blocks = CONTEXT / BLOCK + 1;
        final PagedKv kv = new PagedKv(plan, sequences * blocks, BLOCK);
        final ForwardPass pass = new ForwardPass(model, Precision.BF16, kv, team);
        if (!prefill)
        {
            fill(pass, sequences, blocks);
        }
        final double[] steps = new double[rounds];
        final double[] walls = new double[rounds];
        final double[] read = new double[rounds];
        final double[] memory = new double[rounds];
        final double[] arithmetic = new double[rounds];
        final double[] shares = new double[rounds];
        final SplittableRandom random = new SplittableRandom(2);
        for (int round = -1; round < rounds; round++)
        {
            final TokenBatch batch = batch(tokens, prefill, blocks, random);
            final long start = System.nanoTime();
            final double seconds = cpuSeconds(() -> pass.run(batch));
            final double wall = (System.nanoTime() - start) / GIGA;
            final double byMemory = bytes(pass, tokens) / bandwidth(best);
            final double byArithmetic = products(prefill ? 1 : tokens, tokens) / arithmetic(best);
            if (round >= 0)
            {
                steps[round] = seconds;
                walls[round] = wall;
                memory[round] = byMemory;
                arithmetic[round] = byArithmetic;
                read[round] = bytes(pass, tokens) / seconds;
                shares[round] = Math.max(byMemory, byArithmetic) / seconds;
            }
        }
        System.out.printf(Locale.ROOT, "%-16s %10.2f %12.2f %10.2f %10.2f %10.2f %7.0f%%%n", name,
            tokens / Interleaved.median(walls), tokens / Interleaved.median(steps), Interleaved.median(read) / GIGA,
            tokens / Interleaved.median(memory), tokens / Interleaved.median(arithmetic),
            100 * Interleaved.median(shares));
    }

    /** Computes the contexts of all sequences. */
    private static void fill(final ForwardPass pass, final int sequences, final int blocks)
    {
        final TokenBatch batch = new TokenBatch();
        for (int sequence = 0; sequence < sequences; sequence++)
        {
            final int[] table = IntStream.range(sequence * blocks, (sequence + 1) * blocks).toArray();
            batch.clear();
            for (int position = 0; position < CONTEXT; position++)
            {
                batch.add(position * 31 % VOCABULARY, position, table);
            }
            pass.run(batch);
        }
    }

    /** A prompt, or one token of each sequence behind its context. */
    private TokenBatch batch(final int tokens, final boolean prefill, final int blocks, final SplittableRandom random)
    {
        final TokenBatch batch = new TokenBatch();
        for (int i = 0; i < tokens; i++)
        {
            final int first = prefill ? 0 : i * blocks;
            final int[] table = IntStream.range(first, first + blocks).toArray();
            if (prefill)
            {
                batch.add(random.nextInt(VOCABULARY), i, table);
            }
            else
            {
                batch.add(random.nextInt(VOCABULARY), CONTEXT, table);
                batch.sampleLast();
            }
        }
        if (prefill)
        {
            batch.sampleLast();
        }
        return batch;
    }

    /** Bytes of the weights that a step reads: attention, routers and head, and each expert that any token chose. */
    private double bytes(final ForwardPass pass, final int tokens)
    {
        final int row = plan.layers() * TOP_K;
        double elements = (double)VOCABULARY * HIDDEN;
        for (int layer = 0; layer < plan.layers(); layer++)
        {
            final Set<Integer> chosen = new HashSet<>();
            for (int i = 0; i < tokens * TOP_K; i++)
            {
                chosen.add(pass.expertIds()[i / TOP_K * row + layer * TOP_K + i % TOP_K]);
            }
            elements += 4.0 * HIDDEN * HIDDEN + EXPERTS * HIDDEN + 3.0 * WIDTH * HIDDEN * chosen.size();
        }
        return Short.BYTES * elements;
    }

    private double products(final int sampled, final int tokens)
    {
        return (double)sampled * VOCABULARY * HIDDEN +
            (double)tokens * plan.layers() * (4.0 * HIDDEN * HIDDEN + EXPERTS * HIDDEN + 3.0 * TOP_K * WIDTH * HIDDEN);
    }

    /** Bytes per second of weights that are read from memory and multiplied with one vector. */
    private double bandwidth(final WeightCeiling ceiling)
    {
        final double seconds = together(thread ->
        {
            float sum = 0;
            for (int turn = 0; turn < STREAMED_TURNS; turn++)
            {
                sum += ceiling.one(streamed[thread], vectors);
            }
            return sum;
        });
        return (double)Short.BYTES * STREAMED * STREAMED_TURNS * threads / seconds;
    }

    /** Products per second of weights in the cache with two vectors. */
    private double arithmetic(final WeightCeiling ceiling)
    {
        final double seconds = together(thread ->
        {
            final short[] cached = Arrays.copyOf(streamed[thread], CACHED);
            float sum = 0;
            for (int turn = 0; turn < CACHED_TURNS; turn++)
            {
                sum += ceiling.two(cached, vectors);
            }
            return sum;
        });
        return 2.0 * CACHED * CACHED_TURNS * threads / seconds;
    }

    /** Work of one thread. */
    private interface Part
    {
        float run(int thread);
    }

    /** Seconds that all threads take at the same time. */
    private double together(final Part part)
    {
        final float[] sums = new float[threads];
        final double seconds = cpuSeconds(() ->
        {
            final List<Thread> others = new ArrayList<>();
            for (int i = 0; i < threads; i++)
            {
                final int thread = i;
                others.add(new Thread(() -> sums[thread] = part.run(thread)));
                others.get(i).start();
            }
            for (final Thread other : others)
            {
                join(other);
            }
        });
        for (final float sum : sums)
        {
            sink += sum;
        }
        return sink == 1.5f ? Double.NaN : seconds;
    }

    private static void join(final Thread thread)
    {
        try
        {
            thread.join();
        }
        catch (final InterruptedException e)
        {
            throw new IllegalStateException("nobody interrupts a benchmark", e);
        }
    }

    /** CPU seconds of the process, per thread. */
    private double cpuSeconds(final Runnable work)
    {
        final long start = CPU.getProcessCpuTime();
        work.run();
        return (CPU.getProcessCpuTime() - start) / GIGA / threads;
    }
}
