// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.ReadingProgress;
import io.signalbox.cli.options.InputPath;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.OptionGroup;
import io.signalbox.cli.options.PluginOptions;
import io.signalbox.cli.options.Plugins;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.cli.options.RecomputeOptions;
import io.signalbox.journal.InputVoiding;
import io.signalbox.journal.JournalRecovery.Recovery;
import io.signalbox.journal.JournalRecovery;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.Verification;
import io.signalbox.journal.VoidedInput;
import io.signalbox.printing.DifferenceLife;
import io.signalbox.printing.JsonDocument;
import io.signalbox.printing.OutputFile;
import io.signalbox.printing.RecomputeReport;
import io.signalbox.printing.ReplayReport;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.serving.BackendProvider;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.concurrent.Callable;

/** Verifies a journal by re-running it, and recovers one that was not closed. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = "signalbox replay JOURNAL [OPTIONS]",
    header = "Verify a journal: re-run every input and compare every decision.",
    description = {
        "%nVerifying only reads. It stops at the first group that differs and prints both sides.",
        "%nThe steps of a run of 'signalbox run' can also be computed again: the recorded plans drive a backend, and its " +
            "results are compared with the recorded ones up to the first step that differs."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox replay runs/0001 --verify",
        "  signalbox replay runs/0001 --recover --verify    close a killed writer's journal, then verify it",
        "  signalbox replay runs/0001 --verify --json",
        "  signalbox replay runs/0001 --from-snapshot       verify only what is new",
        "  signalbox replay runs/0001 --void 812 --verify   leave out an input that cannot be replayed",
        "  signalbox replay runs/0001 --recompute --model models/olmoe",
        "",
        "Exit codes: 0 every decision or result is confirmed; 1 one differs or the journal is refused;",
        "            2 usage or environment error: options, model, permissions, disk or memory;",
        "            3 internal error."})
public final class ReplayCommand implements Callable<Integer>
{
    private static final int DOCUMENT_BYTES = 1 << 16;

    private final Console console;

    @Parameters(paramLabel = "JOURNAL", description = "The journal's directory.")
    @InputPath
    private Path journal;

    @Option(names = "--verify",
        description = "Re-run every input and compare every decision; the default without --recover and --recompute.")
    private boolean verify;

    @Option(names = "--from-snapshot",
        description = "Verify what follows the newest snapshot that 'snapshot --scheduler' wrote; what is ahead of it was " +
            "confirmed then.")
    private boolean fromSnapshot;

    @Option(names = "--recover",
        description = "First close the journal of a stopped writer: cut a torn tail and keep its bytes aside.")
    private boolean recover;

    @Option(names = "--void", paramLabel = "RECORD",
        description = "Declare the input of this record void, which no replay can apply: it is left out from now on. " +
            "Refused for any other input.")
    private Long voided;

    @Mixin
    private final PluginOptions plugins = new PluginOptions();

    private DpRouters routers;

    @OptionGroup("Recomputation")
    private final RecomputeOptions recomputeOptions = new RecomputeOptions();

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    @Mixin
    private final ProgressOption progressOption = new ProgressOption();

    public ReplayCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        JournalArgument.requireNamed(journal);
        if (fromSnapshot && recomputeOptions.isAsked())
        {
            throw new ConfigException(
                "--from-snapshot begins behind a snapshot, and --recompute needs every record; leave one out.");
        }
        recomputeOptions.check();
        routers = Plugins.routers(Plugins.without(plugins.jars(), BackendProvider.class));
        try (OutputFile file = jsonOptions.reserve(DOCUMENT_BYTES))
        {
            final ReplayReport report = replay();
            jsonOptions.print(console, file, () -> JsonDocument.text(report.document()), () -> report.print(console.out()));
            return report.confirmed() ? ExitCode.OK : ExitCode.CHECK_FAILED;
        }
    }

    private ReplayReport replay()
    {
        final Recovery recovery = recover ? recover() : null;
        final VoidedInput voiding = voided == null ? null : voidInput();
        final boolean recomputes = recomputeOptions.isAsked();
        final boolean reruns = verify || fromSnapshot || !recover && voided == null && !recomputes;
        final Verification verification = reruns ? rerun(recovery) : null;
        final RecomputeReport recomputation = recomputes ?
            new RunRecomputation(console, progressOption, recomputeOptions, plugins.jars())
                .run(journal, jsonOptions.file()) : null;
        return new ReplayReport(journal, recovery, voiding, verification, recomputation, life(verification));
    }

    /** {@code null} if every decision is confirmed. */
    private DifferenceLife life(final Verification verification)
    {
        if (verification == null || verification.matches())
        {
            return null;
        }
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, "signalbox replay, looking back")))
        {
            return DifferenceLife.read(journal, verification.difference(), progress);
        }
    }

    private Recovery recover()
    {
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, "signalbox replay, recovering")))
        {
            return JournalRecovery.recover(journal, progress);
        }
    }

    private VoidedInput voidInput()
    {
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, "signalbox replay, voiding")))
        {
            return InputVoiding.apply(journal, voided, routers, Scheduler::new, progress);
        }
    }

    private Verification rerun(final Recovery recovery)
    {
        if (recovery != null && recovery.records() == 0)
        {
            final String moved = recovery.movedAside() == null ? "" :
                "recovery moved what was begun to " + recovery.movedAside() + ", and ";
            throw new ConfigException(journal + " holds no record, so there is nothing to verify; " + moved +
                "the directory can be used for a new journal.");
        }
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, "signalbox replay, verifying")))
        {
            return fromSnapshot ? JournalVerifier.verifyBehindSnapshot(journal, routers, progress) :
                JournalVerifier.verifyKept(journal, routers, progress);
        }
    }
}
