// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.ConfigException;
import io.signalbox.journal.Ending;
import io.signalbox.journal.JournalRecovery;
import io.signalbox.journal.JournalRecovery.Recovery;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.Verification;
import io.signalbox.scheduler.Scheduler;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;

/** Proves a journal by re-running it, and makes one whole that was not closed. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 110,
    header = "Verify a journal: re-run every input and compare every decision.",
    description = {
        "%nVerifying reads only. It stops at the first group that comes out otherwise and shows both sides.",
        "%nThe re-run can also write what the router remembers, such as the ranks that conversations are bound to, for " +
            "another run to begin with."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox replay runs/0001 --verify",
        "  signalbox replay runs/0001 --recover --verify   close a journal whose writer was killed, then verify it",
        "  signalbox replay runs/0001 --verify --json",
        "  signalbox replay runs/0001 --router-snapshot router.snapshot",
        "",
        "Exit codes: 0 every decision is confirmed; 1 a difference, or the journal is refused; 2 something to mend",
        "            outside: options, permissions, disk, memory; 3 an internal error."})
final class ReplayCommand implements Callable<Integer>
{
    private final Console console;

    @Parameters(paramLabel = "JOURNAL", description = "The journal's directory.")
    private Path journal;

    @Option(names = "--verify", description = "Re-run every input and compare; what is done where no option is given.")
    private boolean verify;

    @Option(names = "--recover",
        description = "First make the journal whole: cut a torn tail, keeping its bytes aside, and close it.")
    private boolean recover;

    @Option(names = "--router-snapshot", paramLabel = "FILE",
        description = "Write what the router remembers at the end to a new file, for 'simulate --router-snapshot'.")
    private Path routerSnapshot;

    @Option(names = "--at", paramLabel = "RECORD",
        description = "With --router-snapshot: as it was after this record's group; nothing behind it is re-run.")
    private Long at;

    @Option(names = "--json", description = "Print one JSON object instead of text.")
    private boolean asJson;

    @Option(names = Plugins.OPTION, paramLabel = "JAR", split = ",", description = Plugins.DESCRIPTION)
    private List<String> plugins = List.of();

    /** Null where none was taken. */
    private byte[] snapshot;

    ReplayCommand(final Console console)
    {
        this.console = console;
    }

    @Override
    public Integer call()
    {
        if (journal.toString().isEmpty())
        {
            throw new ConfigException("JOURNAL is empty; give the directory of a journal.");
        }
        checkSnapshotOptions();
        final Recovery recovery;
        final Verification verification;
        try (ReadingNotice notice = new ReadingNotice(console, "signalbox replay"))
        {
            recovery = recover ? JournalRecovery.recover(journal, notice) : null;
            verification = verify || !recover || routerSnapshot != null ? rerun(recovery, notice) : null;
        }
        if (asJson)
        {
            printJson(recovery, verification);
        }
        else
        {
            printText(console.out(), recovery, verification, at != null);
            printSnapshot();
        }
        return verification == null || verification.matches() ? ExitCode.OK : ExitCode.CHECK_FAILED;
    }

    private void checkSnapshotOptions()
    {
        if (at != null && routerSnapshot == null)
        {
            throw new ConfigException("--at says where a --router-snapshot is taken, which is not given; leave it out.");
        }
        if (at != null && (verify || at < 0))
        {
            throw new ConfigException(at < 0 ? "--at=" + at + " is negative; give the number of a record." :
                "--at ends the re-run at a record, and --verify asks for all of them; leave one out.");
        }
        if (routerSnapshot != null)
        {
            RouterSnapshotFile.requireNew(routerSnapshot);
        }
    }

    /** Re-runs the journal, and takes the router's snapshot where that is wanted and every decision came out the same. */
    private Verification rerun(final Recovery recovery, final ReadingNotice notice)
    {
        if (recovery != null && recovery.records() == 0)
        {
            throw new ConfigException(journal + " holds no record, so there is nothing to verify; the directory can be " +
                "used for a new journal.");
        }
        final AtomicReference<Scheduler> made = new AtomicReference<>();
        final Verification verification = JournalVerifier.verifyTo(journal, at == null ? Long.MAX_VALUE : at,
            Plugins.routers(plugins), config ->
        {
            made.set(new Scheduler(config));
            return made.get();
        }, notice);
        if (at != null && verification.matches() && verification.records() <= at)
        {
            throw new ConfigException("--at=" + at + " is behind record " + (verification.records() - 1) +
                ", the last of " + journal + "; give one that is there.");
        }
        if (routerSnapshot != null && verification.matches())
        {
            snapshot = made.get().routerSnapshot();
            RouterSnapshotFile.write(routerSnapshot, snapshot);
        }
        return verification;
    }

    private void printSnapshot()
    {
        if (snapshot != null)
        {
            console.out().printf("router snapshot   %s, %s%n", routerSnapshot, Decimals.bytes(snapshot.length));
        }
    }

    static void printText(
        final PrintStream out, final Recovery recovery, final Verification verification, final boolean stoppedEarly)
    {
        if (recovery != null)
        {
            RecoveryText.print(out, recovery);
        }
        if (verification != null)
        {
            out.printf("verified          %s: %s records, %s groups re-run%n", verification.matches() ? "yes" : "no",
                Decimals.grouped(verification.records()), Decimals.grouped(verification.groups()));
            if (verification.difference() != null)
            {
                DifferenceReport.text(out, verification.difference());
                return;
            }
            if (!stoppedEarly)
            {
                out.printf("closed            %s%n", closed(verification));
            }
            out.printf("digest            %s%n", verification.digest());
        }
    }

    private static String closed(final Verification verification)
    {
        return switch (verification.ending())
        {
            case CLOSED -> "yes";
            case RECOVERED -> "yes, by recovery: its writer was stopped at record " +
                Decimals.grouped(verification.records());
            case DISK_FULL -> "no: cut short, the disk was full at record " + Decimals.grouped(verification.records());
            case FAILED -> "no: cut short, the run failed at record " + Decimals.grouped(verification.records());
            case OPEN -> "no: its writer was stopped, and what it wrote up to there is confirmed";
        };
    }

    private void printJson(final Recovery recovery, final Verification verification)
    {
        Json.print(console.out(), json ->
        {
            json.writeStringField("path", journal.toString());
            if (recovery != null)
            {
                Json.object(json, "recovery", body ->
                {
                    json.writeNumberField("records", recovery.records());
                    json.writeNumberField("groups", recovery.groups());
                    json.writeNumberField("cutBytes", recovery.cutBytes());
                    json.writeStringField("cutFile", recovery.cutFile() == null ? null : recovery.cutFile().toString());
                    json.writeStringField(
                        "movedAside", recovery.movedAside() == null ? null : recovery.movedAside().toString());
                    json.writeStringField("digest", recovery.digest());
                    json.writeBooleanField("nothingToDo", recovery.nothingToDo());
                });
            }
            if (verification != null)
            {
                json.writeBooleanField("verified", verification.matches());
                json.writeNumberField("records", verification.records());
                json.writeNumberField("groups", verification.groups());
                if (at == null)
                {
                    json.writeBooleanField(
                        "closed", verification.ending() == Ending.CLOSED || verification.ending() == Ending.RECOVERED);
                    json.writeStringField("ending", EnumNames.label(verification.ending()));
                }
                json.writeStringField("digest", verification.digest());
                DifferenceReport.json(json, verification.difference());
            }
            if (snapshot != null)
            {
                json.writeStringField("routerSnapshot", routerSnapshot.toString());
                json.writeNumberField("routerSnapshotBytes", snapshot.length);
            }
        });
    }
}
