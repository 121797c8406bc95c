// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.InvariantViolation;
import io.signalbox.backend.RankSizes;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.WeightType;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Whole models with generated weights: small ones of three families, and one of the shape of OLMoE-1B-7B, whose weights the
 * device makes. Tokens and routed experts are held against Java, through single steps and through the engine; the
 * time of steps is set beside that of reading what they read.
 */
final class ModelSection implements CheckSection
{
    private static final int BLOCK_TOKENS = 16;
    private static final int CHECKED_BLOCKS = 24;
    private static final int CHECKED_STEPS = 5;
    private static final int SEQUENCES = 3;
    private static final int CHUNK_TOKENS = 6;
    private static final int RUNS = 6;
    static final double MEMORY_SHARE = 0.7;
    /** Of the heap, for weights: the forward pass takes some, too. */
    private static final double HEAP_SHARE = 0.8;

    private final EngineRunner engine;

    ModelSection(final EngineRunner engine)
    {
        this.engine = engine;
    }

    @Override
    public void run(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        final AtomicBoolean equal = new AtomicBoolean();
        findings.timed("small models against Java", () -> equal.set(compareSmall(device, options, findings)));
        if (!equal.get())
        {
            findings.note("The rest of the section was left out.");
            return;
        }
        findings.timed("fast kernels against exact ones", () -> FastKernels.compare(device, options, findings));
        findings.timed("requests through the engine", () -> serve(device, options, findings));
        findings.publish();
        findings.timed("large model", () -> measure(device, options, findings));
    }

    private static boolean compareSmall(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        boolean equal = true;
        for (final CheckedModel model : CheckedModel.SMALL)
        {
            for (final WeightType type : WeightType.values())
            {
                final ModelWeights weights = GeneratedModel.weights(model.plan(type), options.seed());
                equal &= compareSteps(device, options, weights, model.name() + " " + type, findings);
            }
        }
        return equal;
    }

    static RankSizes sizes(final int blocks, final int stepTokens, final int entries)
    {
        return new RankSizes(blocks, BLOCK_TOKENS, stepTokens, entries, 1, 0);
    }

    private static boolean compareSteps(
        final CheckDevice device, final CheckConfig options, final ModelWeights weights, final String name,
        final Findings findings)
    {
        final RankSizes sizes = sizes(CHECKED_BLOCKS, SEQUENCES * CHUNK_TOKENS, SEQUENCES);
        try (ModelSteps steps = new ModelSteps(device, options.device(), weights, sizes, CaptureForm.FUSED))
        {
            return compare(steps, weights, name, findings);
        }
    }

    /** Steps of chunks of several sequences; then each continues with the token that it sampled. Whether all is equal. */
    private static boolean compare(
        final ModelSteps steps, final ModelWeights weights, final String name, final Findings findings)
    {
        final int[][] tables = tables(SEQUENCES, CHECKED_BLOCKS / SEQUENCES);
        final int[] lengths = new int[SEQUENCES];
        int compared = 0;
        try (ModelOracle oracle = new ModelOracle(weights, sizes(CHECKED_BLOCKS, 1, 1)))
        {
            String wrong = null;
            for (int step = 0; step < CHECKED_STEPS && wrong == null; step++)
            {
                final List<ModelToken> tokens = new ArrayList<>();
                for (int sequence = 0; sequence < SEQUENCES; sequence++)
                {
                    final int count = step < 2 ? CHUNK_TOKENS - sequence : 1;
                    for (int i = 0; i < count; i++)
                    {
                        final int id = step < 2 ? (31 * lengths[sequence] + 7 * sequence + 3) % weights.plan().vocabulary() :
                            steps.sampled()[sequence];
                        tokens.add(new ModelToken(id, lengths[sequence]++, tables[sequence], step > 0 && i == count - 1));
                    }
                }
                steps.run(tokens);
                wrong = oracle.difference(name + ", step " + step, tokens, steps);
                compared += tokens.size();
            }
            if (wrong != null)
            {
                findings.failed(wrong);
                return false;
            }
        }
        findings.count(name + ": tokens equal to Java's, with their experts", compared);
        return true;
    }

    /** The sequences have separate blocks, of which each begins with its last. */
    static int[][] tables(final int sequences, final int blocks)
    {
        final int[][] tables = new int[sequences][blocks];
        for (int sequence = 0; sequence < sequences; sequence++)
        {
            final int first = sequence * blocks;
            Arrays.setAll(tables[sequence], index -> first + blocks - 1 - index);
        }
        return tables;
    }

    /** Without and with draft tokens. */
    private void serve(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        final CheckedRequests requests = new CheckedRequests(options.seed());
        for (final int drafts : List.of(0, CheckedRequests.DRAFT_TOKENS))
        {
            final EngineRunner.Served served = requests.serve(device, options.device(), engine, drafts, 0.0);
            final String fault = requests.fault(served, drafts);
            if (fault != null)
            {
                findings.failed(fault);
                return;
            }
            final String how = CheckedRequests.with(drafts);
            findings.count("requests through the engine" + how + ", answered as by Java, their journal verified",
                served.requests());
            findings.count("of these preempted" + how, served.preemptions());
            if (drafts > 0)
            {
                findings.count("entries of which a draft token was right", served.severalTokens());
            }
        }
    }

    private static void measure(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        final CheckedModel model = CheckedModel.large(options.modelLayers());
        final ModelWeights weights = GeneratedModel.weights(model.plan(WeightType.BF16), options.seed());
        final double bandwidth = new StepLength(device).bytesPerSecond();
        final ModelFloor floor = new ModelFloor(weights.plan(), bandwidth);
        final long free = (long)(device.driver().freeMemoryBytes() * MEMORY_SHARE);
        findings.figure("bandwidth of reads", bandwidth / 1e9, "GB/s");
        int most = 0;
        for (final int batch : model.batches())
        {
            most = floor.weightBytes() + floor.kvBytes(1, blocks(model, batch) * BLOCK_TOKENS) < free ? batch : most;
        }
        if (most == 0)
        {
            findings.notRun(String.format(Locale.ROOT, "%s needs %.1f GB for its weights, and this check takes %.1f GB of " +
                "what is free on the device; give fewer --model-layers.", model.name(), floor.weightBytes() / 1e9,
                free / 1e9));
            return;
        }
        try (ModelSteps steps = new ModelSteps(device, options.device(), weights, sizes(blocks(model, most),
            Math.max(most, model.prefill()), Math.max(most, SEQUENCES)), null))
        {
            compareWithJava(steps, weights, model, floor.weightBytes(), findings);
            for (final int batch : model.batches())
            {
                if (batch <= most)
                {
                    report(findings, model.name() + ": decode of " + batch + " at context " + model.context(),
                        median(steps, decode(model, weights, batch)), floor.decodeMillis(batch, model.context()));
                }
            }
            report(findings, model.name() + ": prefill of " + model.prefill(),
                median(steps, List.of(prefill(model, weights))), floor.decodeMillis(model.prefill(), 0));
            if (model.formsBatch() <= most)
            {
                forms(device, options, model, steps, weights, floor, findings);
            }
            FastKernels.measure(device, options, model, steps, weights, floor, findings);
        }
        findings.note("Generated weights; kernels that have Java's bits; the floor is the time of reading once what a " +
            "step reads, weights of the experts that uniform choices hit.");
    }

    /** Java has a copy of the weights on its heap. */
    private static void compareWithJava(
        final ModelSteps steps, final ModelWeights weights, final CheckedModel model, final long weightBytes,
        final Findings findings)
    {
        final long heap = Runtime.getRuntime().maxMemory();
        if (weightBytes > heap * HEAP_SHARE)
        {
            findings.notRun(String.format(Locale.ROOT, "%s was not compared with Java, which needs %.1f GB of heap and " +
                "has %.1f; give it more (-Xmx in JDK_JAVA_OPTIONS), or fewer --model-layers.", model.name(),
                weightBytes / HEAP_SHARE / 1e9, heap / 1e9));
            return;
        }
        compare(steps, weights, model.name(), findings);
    }

    /** KV blocks for the decode steps of a batch, for the prefill, and for the steps that are compared. */
    static int blocks(final CheckedModel model, final int batch)
    {
        return Math.max(CHECKED_BLOCKS, Math.max(batch * perSequence(model.context()), perSequence(model.prefill())));
    }

    private static int perSequence(final int tokens)
    {
        return (tokens + BLOCK_TOKENS - 1) / BLOCK_TOKENS;
    }

    private static void forms(
        final CheckDevice device, final CheckConfig options, final CheckedModel model, final ModelSteps first,
        final ModelWeights weights, final ModelFloor floor, final Findings findings)
    {
        final int batch = model.formsBatch();
        final double needed = ModelForms.POOLS * (double)floor.kvBytes(1, blocks(model, batch) * BLOCK_TOKENS);
        final double free = device.driver().freeMemoryBytes() * MEMORY_SHARE;
        if (needed > free)
        {
            findings.notRun(String.format(Locale.ROOT, "The forms of capture need %.1f GB for keys and values, and this " +
                "check takes %.1f GB of what is free on the device.", needed / 1e9, free / 1e9));
            return;
        }
        ModelForms.compare(options, model, first, weights, sizes(blocks(model, batch), batch, batch), findings);
    }

    /** Steps of one token of each sequence at the end of its context. */
    static List<List<ModelToken>> decode(final CheckedModel model, final ModelWeights weights, final int batch)
    {
        final int[][] tables = tables(batch, perSequence(model.context()));
        final List<List<ModelToken>> steps = new ArrayList<>();
        for (int run = 0; run < RUNS; run++)
        {
            final List<ModelToken> tokens = new ArrayList<>();
            for (int sequence = 0; sequence < batch; sequence++)
            {
                final int id = (7919 * sequence + 101 * run + 5) % weights.plan().vocabulary();
                tokens.add(new ModelToken(id, model.context() - 1, tables[sequence], true));
            }
            steps.add(tokens);
        }
        return steps;
    }

    static List<ModelToken> prefill(final CheckedModel model, final ModelWeights weights)
    {
        final int[] table = tables(1, perSequence(model.prefill()))[0];
        final List<ModelToken> tokens = new ArrayList<>();
        for (int i = 0; i < model.prefill(); i++)
        {
            tokens.add(new ModelToken((7919 * i + 5) % weights.plan().vocabulary(), i, table, i == model.prefill() - 1));
        }
        return tokens;
    }

    /** Of all steps but the first, which may load kernels; of the only one, if it is that. */
    static double median(final ModelSteps steps, final List<List<ModelToken>> all)
    {
        final double[] millis = new double[all.size()];
        for (int i = 0; i < millis.length; i++)
        {
            millis[i] = millis(steps, all.get(i));
        }
        return new Quantiles(Arrays.copyOfRange(millis, millis.length > 1 ? 1 : 0, millis.length)).at(0.5);
    }

    /** Of the kernels of one step. */
    static double millis(final ModelSteps steps, final List<ModelToken> tokens)
    {
        steps.run(tokens);
        if (steps.fault() != null)
        {
            throw new InvariantViolation("a step that was to be timed failed: " + steps.fault());
        }
        return steps.millis();
    }

    static void report(final Findings findings, final String name, final double millis, final double floorMillis)
    {
        findings.figure(name, millis, "ms");
        findings.figure(name + ", floor of the bandwidth", floorMillis, "ms");
        findings.figure(name + ", of the floor's speed", 100.0 * floorMillis / millis, "%");
    }
}
