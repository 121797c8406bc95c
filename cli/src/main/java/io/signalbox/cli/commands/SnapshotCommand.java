// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.ReadingProgress;
import io.signalbox.cli.options.FollowOption;
import io.signalbox.cli.options.InputPath;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.OptionGroup;
import io.signalbox.cli.options.PluginOptions;
import io.signalbox.cli.options.Plugins;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.cli.options.RetentionOptions;
import io.signalbox.cli.options.SettingOptions;
import io.signalbox.journal.ReplayFollower;
import io.signalbox.journal.RetentionLimits;
import io.signalbox.journal.SnapshotFollower;
import io.signalbox.printing.OutputFile;
import io.signalbox.printing.RemovedSegments;
import io.signalbox.printing.SnapshotReport;
import io.signalbox.router.DpRouters;
import io.signalbox.serving.BackendProvider;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Writes snapshots of the state of a run beside its journal. */
@Command(
    name = "snapshot",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Write snapshots of a run's state next to its journal, for quick questions about any moment.",
    customSynopsis = "signalbox snapshot JOURNAL [OPTIONS]",
    description = {
        "%nFolds the journal's events into the state of the run, and writes that state every N records into the journal's " +
            "directory 'snapshots'. The journal itself is only read; another process may still write it. A later call " +
            "continues at the newest snapshot. Snapshots can be removed at any time: they are written again.",
        "%nWith a limit, the oldest segments of the journal are removed as well, but none that the older of two snapshots " +
            "or a request needs that has not ended. From then on the snapshots must stay."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox snapshot runs/0001",
        "  signalbox snapshot runs/0001 --every 20000",
        "  signalbox snapshot runs/0001 --follow          beside the process that writes it",
        "  signalbox snapshot runs/0001 --scheduler       and what a verification begins at",
        "  signalbox snapshot runs/0001 --scheduler --follow --max-bytes 50000000000",
        "  signalbox inspect moment runs/0001 61.5",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
public final class SnapshotCommand implements Callable<Integer>
{
    private static final int DOCUMENT_BYTES = 1 << 14;
    private static final long PAUSE_NANOS = 1_000_000_000L;

    private final Console console;

    @Parameters(paramLabel = "JOURNAL", description = "The journal's directory.")
    @InputPath
    private Path journal;

    private final SettingOptions snapshots = SettingOptions.of(SnapshotFollower.SETTINGS);

    @Option(names = "--scheduler",
        description = "Re-run the journal as well, compare every decision, and write the scheduler's state, rows " +
            "included: 'replay --from-snapshot' and launches begin there. The newest two are kept.")
    private boolean scheduler;

    @Mixin
    private final PluginOptions plugins = new PluginOptions();

    @Mixin
    private final FollowOption followOption = new FollowOption();

    @OptionGroup("Retention (with --scheduler)")
    private final RetentionOptions retention = new RetentionOptions();

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    @Mixin
    private final ProgressOption progressOption = new ProgressOption();

    public SnapshotCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        JournalArgument.requireNamed(journal);
        final long every = snapshots.get(SnapshotFollower.EVERY);
        final int kept = snapshots.get(SnapshotFollower.KEPT);
        final RetentionLimits limits = retention.limits();
        if (!limits.equals(RetentionLimits.NONE) && !scheduler)
        {
            throw new ConfigException("segments go only behind snapshots of the scheduler, and --scheduler is not given; " +
                "add it, or leave the limits out.");
        }
        try (OutputFile file = jsonOptions.reserve(DOCUMENT_BYTES))
        {
            final DpRouters routers = Plugins.routers(Plugins.without(plugins.jars(), BackendProvider.class));
            final SnapshotFollower follower = new SnapshotFollower(journal, every, kept);
            final ReplayFollower replay = scheduler ? new ReplayFollower(journal, every, routers) : null;
            final RemovedSegments removed =
                limits.equals(RetentionLimits.NONE) ? null : new RemovedSegments(journal, limits, routers);
            final boolean isAtEnd = follow(follower, replay, removed);
            final SnapshotReport report = new SnapshotReport(journal, follower, replay, removed, isAtEnd);
            jsonOptions.print(console, file, report::json, () -> report.print(console.out()));
            return ExitCode.OK;
        }
    }

    /**
     * @param replay  {@code null} if the journal is not re-run.
     * @param removed {@code null} if no segment goes.
     */
    private boolean follow(final SnapshotFollower follower, final ReplayFollower replay, final RemovedSegments removed)
    {
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, "signalbox snapshot")))
        {
            boolean isAtEnd = followOnce(follower, replay, progress);
            while (followOption.follows() && !isAtEnd)
            {
                remove(removed, replay, progress);
                LockSupport.parkNanos(PAUSE_NANOS);
                isAtEnd = followOnce(follower, replay, progress);
            }
            follower.conclude();
            if (replay != null)
            {
                replay.conclude();
            }
            remove(removed, replay, progress);
            return isAtEnd;
        }
    }

    private static void remove(
        final RemovedSegments removed, final ReplayFollower replay, final ReadingProgress progress)
    {
        if (removed != null)
        {
            removed.behind(replay.written(), progress);
        }
    }

    private static boolean followOnce(
        final SnapshotFollower follower, final ReplayFollower replay, final ReadingProgress progress)
    {
        final boolean isAtEnd = follower.follow(progress);
        return (replay == null || replay.follow(progress)) && isAtEnd;
    }
}
