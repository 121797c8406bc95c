// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.Quantiles;
import io.signalbox.cuda.CudaBackendConfig;
import io.signalbox.cuda.DeviceSteps;
import io.signalbox.cuda.driver.LaunchTraits;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.WeightType;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The time of each kernel of decode steps of the large model, fast kernels first, beside the bytes that the kernel reads.
 * {@code signalbox gpu --tables} makes a table for each step of the figures.
 */
final class ProfileSection implements CheckSection
{
    private static final double MEMORY_SHARE = 0.8;
    private static final List<KernelFamily> FAMILIES = List.of(KernelFamily.FAST, KernelFamily.EXACT);
    /** Gates, others and downs of an expert. */
    private static final int EXPERT_MATRICES = 3;

    @Override
    public void run(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        EventCost.report(device, findings);
        final CheckedModel model = CheckedModel.large(options.modelLayers());
        final ModelWeights weights = GeneratedModel.weights(model.plan(WeightType.BF16), options.seed());
        final List<Integer> batches = batches(
            model, weights.plan(), device.driver().freeMemoryBytes() * MEMORY_SHARE, findings);
        if (batches.isEmpty())
        {
            return;
        }
        final int most = batches.get(batches.size() - 1);
        final CudaBackendConfig config = new CudaBackendConfig().devices(List.of(options.device())).model(weights);
        try (DeviceSteps owner = DeviceSteps.ofModel(device.driver(), config, ModelSection.sizes(1, 1, 1), null, null))
        {
            for (final KernelFamily family : FAMILIES)
            {
                try (ProfiledSteps steps = new ProfiledSteps(device, options.device(), weights,
                    ModelSection.sizes(most * ModelRoom.perSequence(model.context()), most, most), family, owner))
                {
                    for (final int batch : batches)
                    {
                        final List<ModelToken> tokens = ModelTimes.decode(model, weights, batch).get(0);
                        report(family, model, weights.plan(), batch, steps.measure(tokens), findings);
                        findings.publish();
                    }
                }
            }
        }
        finally
        {
            device.makeCurrent();
        }
        findings.note("Medians of " + (ProfiledSteps.ROUNDS - 1) + " steps with an event after each launch; bytes are the " +
            "matrix of a product, the matrices of the experts that the step chose, keys and values of the context, and " +
            "rows of the embedding; other reads and all writes are not counted.");
    }

    /** Batches for which so many bytes are enough, ascending. */
    static List<Integer> batches(
        final CheckedModel model, final DecoderPlan plan, final double free, final Findings findings)
    {
        final ModelFloor floor = new ModelFloor(plan, 1.0);
        final List<Integer> fitting = new ArrayList<>();
        for (final int batch : model.batches())
        {
            final double needed = floor.weightBytes() + (double)floor.kvBytes(
                batch, ModelRoom.perSequence(model.context()) * ModelSection.BLOCK_TOKENS);
            if (needed <= free)
            {
                fitting.add(batch);
            }
            else
            {
                findings.notRun(String.format(Locale.ROOT, "%s, decode of %d needs %.1f GB for weights, keys and values; " +
                    "this section takes %.1f GB of the free memory.", model.name(), batch, needed / 1e9, free / 1e9));
            }
        }
        return fitting;
    }

    private static void report(
        final KernelFamily family, final CheckedModel model, final DecoderPlan plan, final int batch,
        final StepProfile profile, final Findings findings)
    {
        final String step = model.name() + ", " + family + ", decode of " + batch + " at context " + model.context() + ": ";
        for (final StepProfile.Row row : profile.rows())
        {
            findings.figure(step + row.name() + ": launches", row.launches(), "");
            findings.figure(step + row.name() + ": time", row.micros(), "us");
            findings.figure(step + row.name() + ": time of each", row.eachMicros(), "us");
            findings.figure(step + row.name() + ": reads", bytes(row, model, plan, batch, profile) / 1e6, "MB");
        }
        findings.figure(step + "sum of the launches", profile.sumMicros(), "us");
        findings.figure(step + "as single launches", Quantiles.of(profile.eagerMicros(), 50), "us");
        findings.figure(step + "as a graph", Quantiles.of(profile.graphMicros(), 50), "us");
        findings.figure(step + "experts read, mean of a layer",
            (double)profile.expertsOfLayers() / plan.moeLayers().size(), "");
    }

    /** Bytes that all launches of a row must read. */
    private static long bytes(
        final StepProfile.Row row, final CheckedModel model, final DecoderPlan plan, final int batch,
        final StepProfile profile)
    {
        final LaunchTraits traits = row.traits();
        final long experts = (long)profile.expertsOfLayers() * plan.hidden() * plan.experts().width() * plan.type().bytes();
        if (traits.kernel().contains("expert_up"))
        {
            return (EXPERT_MATRICES - 1) * experts;
        }
        if (traits.kernel().contains("expert_down"))
        {
            return experts;
        }
        if (traits.kernel().contains("attend"))
        {
            return new ModelFloor(plan, 1.0).kvBytes(batch, model.context());
        }
        if (traits.kernel().contains("embed"))
        {
            return (long)batch * plan.hidden() * plan.type().bytes();
        }
        return traits.matrixBytes() * row.launches();
    }
}
