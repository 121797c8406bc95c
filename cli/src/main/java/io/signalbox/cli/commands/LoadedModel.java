// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.backend.RankSizes;
import io.signalbox.cli.console.MachineMemory;
import io.signalbox.cli.options.ChosenBackend;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelDigest;
import io.signalbox.model.ModelMemory;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.forward.ForwardPass;
import io.signalbox.printing.Decimals;
import io.signalbox.recompute.RecordedModel;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.serving.BackendMemory;
import io.signalbox.serving.ModelBackend;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The model of a run, and the backend that computes it. */
final class LoadedModel
{
    private static final String VECTORS = "jdk.incubator.vector";
    /** Weights from which products take longer than the compilation of vector code. */
    private static final long WORTH_VECTORS = 50_000_000;

    private final ChosenBackend chosen;
    private final ModelWeights weights;
    private final ModelLoading loading;

    LoadedModel(final ChosenBackend chosen, final ModelWeights weights, final ModelLoading loading)
    {
        this.chosen = chosen;
        this.weights = weights;
        this.loading = loading;
    }

    DecoderPlan plan()
    {
        return weights.plan();
    }

    /** A backend that was not started; the tokens end answers. */
    ModelBackend create(final LongSupplier clock, final int... endTokens)
    {
        return loading(() -> chosen.create(weights, clock, endTokens));
    }

    /** Shows how much of the weights a backend has copied in the meantime. */
    <T> T loading(final Supplier<T> action)
    {
        return loading.show(chosen.weightBytes(weights), action);
    }

    /** Advice on the backend's knobs; {@code null}: none. */
    String advice(final SchedulerConfig config)
    {
        return chosen.advice(config.ranks());
    }

    /** Model and backend in a run description; {@code model} has the model without its digest. */
    Map<String, String> settings(final Map<String, String> model)
    {
        final Map<String, String> settings = new TreeMap<>(model);
        settings.put(RecordedModel.DIGEST, ModelDigest.of(weights));
        settings.putAll(chosen.settings(plan()));
        return settings;
    }

    /**
     * The model and the memory that it takes, in lines.
     *
     * @throws io.signalbox.ConfigException if the heap, the machine or a device has less.
     */
    List<String> memory(final SchedulerConfig config)
    {
        final DecoderPlan plan = plan();
        final String model = "model             " + plan.family().modelType() + ", " +
            Decimals.grouped(plan.parameters()) + " weights as " + plan.type().configName() + ", " + plan.layers() +
            " layers, " + plan.experts().topK() + " of " + plan.experts().experts() + " experts";
        final List<BackendMemory> devices = chosen.memory(weights, config.ranks(), sizes(config), config.capture());
        if (!devices.isEmpty())
        {
            final List<String> lines = new ArrayList<>(List.of(model));
            for (final BackendMemory device : devices)
            {
                device.check();
                lines.add("memory            " + device.text());
            }
            return lines;
        }
        final ModelMemory memory =
            ModelMemory.of(plan, config.ranks(), config.kvBlocks(), config.blockSizeTokens(), config.stepTokens(),
                sizes(config).mostSampled()).withWeights(chosen.weightBytes(weights));
        MachineMemory.requireRoom(memory, MachineMemory.limits());
        return List.of(model + "; memory: at most " + memory.text(), products(plan));
    }

    private static String products(final DecoderPlan plan)
    {
        final boolean vectors = ModuleLayer.boot().findModule(VECTORS).isPresent();
        return "products          " + ForwardPass.arithmetic() + (plan.parameters() < WORTH_VECTORS || vectors ? "" :
            "; JDK_JAVA_OPTIONS=--add-modules=" + VECTORS + " makes a model of this size some times quicker");
    }

    private static RankSizes sizes(final SchedulerConfig config)
    {
        return new RankSizes(config.kvBlocks(), config.blockSizeTokens(), config.stepTokens(), config.maxRunning(),
            config.depth(), config.draftTokens());
    }
}
