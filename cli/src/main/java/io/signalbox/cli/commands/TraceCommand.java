// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.options.InputPath;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.OutputPath;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.cli.options.SettingOptions;
import io.signalbox.inspect.JournaledWorkload;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.JournalRetention;
import io.signalbox.journal.ReadProgress;
import io.signalbox.printing.TraceFile;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.SimulationConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;

/** Writes the requests of a journal as a workload. */
@Command(
    name = "trace",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Write the requests of a journal as a workload for simulate and compare.",
    customSynopsis = "signalbox trace JOURNAL --out FILE [OPTIONS]",
    description = {
        "%nWrites one line for each Submit: arrival or predecessor and think time, lengths, block hashes of prompt " +
            "and answer, cancellation, tenant. The hashes name blocks and do not contain tokens. Reads the " +
            "journal twice; another process may still write it."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox trace runs/0001 --out yesterday.jsonl.gz",
        "  signalbox simulate --trace yesterday.jsonl.gz",
        "  signalbox trace runs/0001 --format mooncake --out yesterday.jsonl",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
public final class TraceCommand implements Callable<Integer>
{
    private static final String NAME = "signalbox trace";

    private final Console console;

    @Parameters(paramLabel = "JOURNAL", description = "The journal's directory.")
    @InputPath
    private Path journal;

    @Option(names = FileOfJournalRun.OUT, paramLabel = "FILE", required = true,
        description = "Write to FILE, which is new; gzipped if its name ends in .gz.")
    @OutputPath
    private Path out;

    private final SettingOptions format = SettingOptions.of(TraceFile.SETTINGS);

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    @Mixin
    private final ProgressOption progressOption = new ProgressOption();

    public TraceCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        JournalArgument.requireNamed(journal);
        final Map<String, String> settings;
        final int blockTokens;
        try (JournalReader reader = JournalReader.openKept(journal, ReadProgress.NONE))
        {
            settings = reader.settings();
            blockTokens = reader.setting(SchedulerConfig.BLOCK_SIZE_TOKENS);
        }
        RemovedRecords.note(console, NAME, journal);
        // If records were removed, the first Submit that is left is the beginning.
        final boolean isVirtualTime = JournalRetention.firstRecord(journal) == 0 &&
            settings.containsKey(SimulationConfig.PREFIX + SimulationConfig.SEED);
        return new FileOfJournalRun(console, NAME, journal, out).call(jsonOptions, progressOption,
            file -> new TraceFile(file, format.get(TraceFile.FORMAT), blockTokens, isVirtualTime),
            (trace, progress) -> JournaledWorkload.read(journal, trace, progress));
    }
}
