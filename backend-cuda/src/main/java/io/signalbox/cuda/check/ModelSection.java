// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.backend.RankSizes;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.WeightType;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Whole models with generated weights: small ones of three families, and one of the shape of OLMoE-1B-7B, whose weights the
 * device makes. Tokens and routed experts are held against Java, through single steps and through the engine; the
 * time of steps is set beside that of reading what they read.
 */
final class ModelSection implements CheckSection
{
    static final int BLOCK_TOKENS = 16;

    private final EngineRunner engine;
    private final List<CheckedModel> small;
    private final List<CheckedModel> fast;

    ModelSection(final EngineRunner engine)
    {
        this(engine, CheckedModel.SMALL, CheckedModel.FAST);
    }

    /**
     * @param small that Java computes, too.
     * @param fast  of which exact and fast kernels are compared.
     */
    ModelSection(final EngineRunner engine, final List<CheckedModel> small, final List<CheckedModel> fast)
    {
        this.engine = engine;
        this.small = small;
        this.fast = fast;
    }

    @Override
    public void run(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        final AtomicBoolean equal = new AtomicBoolean();
        findings.part("small models against Java", () -> equal.set(compareSmall(device, options, findings)));
        if (!equal.get())
        {
            findings.note("The rest of the section was left out.");
            return;
        }
        findings.part("fast kernels against exact ones", () ->
        {
            for (final CheckedModel model : fast)
            {
                FastKernels.compare(device, options, model, findings);
            }
        });
        if (options.bitsOnly())
        {
            return;
        }
        findings.part("requests through the engine",
            () -> serve(device, options, new CheckedRequests(options.seed()), findings));
        findings.part("requests through the engine, fast kernels",
            () -> serve(device, options, CheckedRequests.fast(device, options), findings));
        findings.publish();
        findings.part("large model", () -> new LargeModel(device, options, findings).run());
    }

    private boolean compareSmall(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        boolean equal = true;
        for (final CheckedModel model : small)
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
        final RankSizes sizes = sizes(ComparedSteps.BLOCKS, ComparedSteps.SEQUENCES * ComparedSteps.CHUNK_TOKENS,
            ComparedSteps.SEQUENCES);
        try (ModelSteps steps =
            new ModelSteps(device, options.device(), weights, sizes, KernelFamily.EXACT, CaptureForm.FUSED))
        {
            return new ComparedSteps(name, steps, weights.plan().vocabulary())
                .compareWithJava(weights, () -> false, findings);
        }
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
    private void serve(
        final CheckDevice device, final CheckConfig options, final CheckedRequests requests, final Findings findings)
    {
        for (final int drafts : List.of(0, CheckedRequests.DRAFT_TOKENS))
        {
            final EngineRunner.Served served = requests.serve(device, options.device(), engine, drafts, 0.0);
            final String fault = requests.fault(served, drafts);
            if (fault != null)
            {
                findings.failed(fault);
                return;
            }
            final String how = requests.with(drafts);
            findings.count("requests through the engine" + how + ", answered as by " + requests.source() +
                ", their journal verified", served.requests());
            findings.count("of these preempted" + how, served.preemptions());
            if (drafts > 0)
            {
                findings.count("entries of which a draft token was right" + requests.kernels(), served.severalTokens());
            }
        }
    }
}
