// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.DocumentSchema;
import io.signalbox.cli.console.Check;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.Progress;
import io.signalbox.cli.console.ReadingProgress;
import io.signalbox.cli.options.InputPath;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.journal.SegmentAudit;
import io.signalbox.printing.Decimals;
import io.signalbox.printing.JsonDocument;
import io.signalbox.printing.OutputFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** Checks the machine, and names a remedy for each failed check. */
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Check Java, flags, memory, disk and GPU of this machine, or the files of a journal.",
    customSynopsis = "signalbox doctor [JOURNAL] [OPTIONS]",
    description = {
        "%nWith JOURNAL: compares every byte of its sealed segments with the checksums that were written when they were " +
            "sealed, and names damaged ones. 'signalbox replay JOURNAL --verify' reads and confirms the records."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox doctor",
        "  signalbox doctor --json",
        "  signalbox doctor runs/0001",
        "",
        "Exit codes: 0 everything needed is there; 1 something needed is missing or damaged; 2 usage or",
        "            environment error; 3 internal error."})
public final class DoctorCommand implements Callable<Integer>
{
    private static final int DOCUMENT_BYTES = 1 << 14;

    private final Console console;

    @Parameters(paramLabel = "JOURNAL", arity = "0..1", description = "The journal's directory.")
    @InputPath
    private Path journal;

    @Mixin
    private final JsonOptions jsonOptions = new JsonOptions();

    @Mixin
    private final ProgressOption progressOption = new ProgressOption();

    public DoctorCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        try (OutputFile file = jsonOptions.reserve(DOCUMENT_BYTES))
        {
            final List<Check> checks = run();
            final boolean ready = checks.stream().noneMatch(check -> check.needed() && !check.ok());
            jsonOptions.print(console, file, () -> JsonDocument.text(new DoctorDocument(ready, checks)),
                () -> printTable(checks));
            return ready ? ExitCode.OK : ExitCode.CHECK_FAILED;
        }
    }

    private List<Check> run()
    {
        if (journal != null)
        {
            return ofJournal();
        }
        try (Progress progress = progressOption.show(console, "signalbox doctor"))
        {
            return MachineChecks.all(Path.of(""), progress);
        }
    }

    private List<Check> ofJournal()
    {
        JournalArgument.requireNamed(journal);
        final SegmentAudit found;
        try (ReadingProgress progress = new ReadingProgress(progressOption.show(console, "signalbox doctor")))
        {
            found = SegmentAudit.of(journal, progress);
        }
        final List<Check> checks = new ArrayList<>();
        checks.add(Check.ok("segments", Decimals.counted(found.equal(), "sealed segment") + ", " +
            Decimals.bytes(found.bytes()) + ", as when they were sealed"));
        found.damaged().forEach(sentence -> checks.add(Check.damaged("segment", sentence,
            "restore it from a copy, or verify behind it with 'signalbox replay " + journal + " --from-snapshot'")));
        found.unchecked().forEach(sentence -> checks.add(Check.missing("checksums", sentence,
            "an engine that continues the run, or 'signalbox replay --recover', writes them").optional()));
        return checks;
    }

    private void printTable(final List<Check> checks)
    {
        for (final Check check : checks)
        {
            console.out().printf("%-10s %-8s %s%n", check.name(), check.state(), check.detail());
            if (!check.ok())
            {
                console.out().printf("%-10s %-8s %s%n", "", "", check.remedy());
            }
        }
    }

    /**
     * {@code doctor --json}, and {@code doctor JOURNAL --json}.
     *
     * @param ready  whether everything needed is there
     * @param checks findings
     */
    @DocumentSchema("signalbox.doctor/1")
    public record DoctorDocument(boolean ready, List<Check> checks)
    {
    }
}
