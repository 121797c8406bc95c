// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.backend.RankSizes;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.MachineMemory;
import io.signalbox.cli.console.Progress;
import io.signalbox.cli.console.ReadingProgress;
import io.signalbox.cli.options.ChosenBackend;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.cli.options.RecomputeOptions;
import io.signalbox.journal.JournalReader;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelDigest;
import io.signalbox.model.ModelMemory;
import io.signalbox.model.ModelWeights;
import io.signalbox.printing.Decimals;
import io.signalbox.printing.RecomputeReport;
import io.signalbox.printing.RecomputeReport.Likeness;
import io.signalbox.recompute.Recomputation;
import io.signalbox.recompute.RecomputedRun;
import io.signalbox.recompute.RecordedModel;
import io.signalbox.serving.BackendMemory;
import io.signalbox.serving.ModelBackend;
import io.signalbox.serving.WeightVersion;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Computes the steps of a recorded run again, for {@code replay --recompute}. */
final class RunRecomputation
{
    private static final String NAME = "signalbox replay";

    private final Console console;
    private final ProgressOption progressOption;
    private final RecomputeOptions options;
    private final List<String> plugins;

    RunRecomputation(
        final Console console, final ProgressOption progressOption, final RecomputeOptions options,
        final List<String> plugins)
    {
        this.console = console;
        this.progressOption = progressOption;
        this.options = options;
        this.plugins = plugins;
    }

    /** @param output the file of the report; {@code null} if the report is not written to a file. */
    RecomputeReport run(final Path journal, final Path output)
    {
        final Map<String, String> description = description(journal);
        RecordedModel.require(journal, description);
        ChosenBackend.requireNotRead(description, JsonOptions.FILE_OPTION, output);
        final ModelLoading loading = new ModelLoading(console, progressOption, NAME);
        final ModelWeights weights = options.weights(description, loading);
        final ChosenBackend chosen = options.backend(description, plugins);
        final Recomputation recomputation = survey(journal);
        final DecoderPlan plan = weights.plan();
        final List<Supplier<ModelWeights>> newWeights = options.newWeights(plan, recomputation.newWeights());
        final ChosenBackend backend = newWeights.isEmpty() ? chosen : chosen.replaceable();
        RecordedModel.requireRows(plan, recomputation.shape());
        final RankSizes sizes = recomputation.sizes();
        final List<BackendMemory> devices =
            backend.memory(weights, recomputation.ranks(), sizes, recomputation.shape());
        devices.forEach(BackendMemory::check);
        if (devices.isEmpty())
        {
            final ModelMemory memory = ModelMemory.of(plan, recomputation.ranks(), sizes.kvBlocks(),
                sizes.blockSizeTokens(), sizes.stepTokens(), sizes.maxRunning()).withWeights(backend.weightBytes(weights));
            MachineMemory.requireRoom(memory, MachineMemory.limits());
        }
        final List<Likeness> likenesses = new ArrayList<>(List.of(
            new Likeness("model", description.get(RecordedModel.DIGEST), ModelDigest.of(weights)),
            new Likeness("kernels", description.get(ChosenBackend.KERNELS), backend.kernels(plan)),
            new Likeness("device", description.get(ChosenBackend.DEVICE), backend.device())));
        final ModelBackend loaded =
            loading.show(backend.weightBytes(weights), () -> backend.create(weights, System::nanoTime));
        try (Progress progress = progressOption.show(console, NAME + ", recomputing"))
        {
            final RecomputedRun run = recomputation.run(loaded, (generation, version) ->
            {
                final String prepared =
                    loaded.prepareWeights("generation-" + generation, newWeights.get(generation - 1).get());
                likenesses.add(new Likeness(
                    "newModel" + generation, WeightVersion.digest(version), WeightVersion.digest(prepared)));
                return prepared;
            }, (done, total) -> progress.show(done, total,
                () -> Decimals.grouped(done) + " of " + Decimals.grouped(total) + " steps"));
            return new RecomputeReport(run, likenesses);
        }
    }

    private static Map<String, String> description(final Path journal)
    {
        try (JournalReader reader = JournalReader.open(journal))
        {
            return reader.settings();
        }
    }

    private Recomputation survey(final Path journal)
    {
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, NAME)))
        {
            return Recomputation.of(journal, progress);
        }
    }
}
