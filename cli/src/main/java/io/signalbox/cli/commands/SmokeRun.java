// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.printing.Check;
import io.signalbox.cli.printing.Decimals;
import io.signalbox.cli.printing.FileFault;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.journal.Durability;
import io.signalbox.journal.Ending;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.JournalWriter;
import io.signalbox.journal.Verification;
import io.signalbox.journal.WriterOptions;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.Simulation;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.SimulationProgress;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A very small run with everything in it: schedule, journal, read back, verify. It leaves nothing behind. */
final class SmokeRun
{
    private static final String NAME = "journal";

    private SmokeRun()
    {
    }

    /** @param parent where the journal is kept meanwhile. */
    static Check check(final Path parent)
    {
        try
        {
            final Path directory = Files.createTempDirectory(parent, "signalbox-doctor-");
            try
            {
                return verdict(run(directory.resolve("journal")));
            }
            finally
            {
                delete(directory);
            }
        }
        // Chronicle fails with errors, and not only with exceptions, where it is not let at what it needs.
        catch (final IOException | RuntimeException | LinkageError | AssertionError e)
        {
            final String reason = e instanceof IOException ? FileFault.reason((IOException)e) : e.toString();
            return Check.missing(NAME, "a small run in " + parent + " failed: " + reason,
                "mend what is missing above; if nothing is, give journals another place with --journal DIR");
        }
    }

    private static Verification run(final Path directory)
    {
        final SchedulerConfig config = SchedulerConfig.builder().capture(new ModelShape(2, 8, 2)).build();
        final Simulation simulation = new Simulation(config, SimulationConfig.DEFAULT,
            GeneratedWorkload.of(GeneratedWorkloadConfig.builder().conversations(2).build()));
        try (JournalWriter writer =
            JournalWriter.create(directory, simulation.settings(), WriterOptions.of(Durability.BATCH)))
        {
            simulation.run(SteppedEngine::new, writer, SimulationProgress.NONE);
        }
        return JournalVerifier.verify(directory, Scheduler::new);
    }

    private static Check verdict(final Verification found)
    {
        return found.matches() && found.ending() == Ending.CLOSED
            ? Check.ok(NAME, "a small run was journaled, synced, read back and verified: " +
                Decimals.grouped(found.records()) + " records")
            : Check.missing(NAME, "a small run did not verify", "please report it, with the output of 'signalbox doctor'");
    }

    private static void delete(final Path directory) throws IOException
    {
        final List<Path> files;
        try (Stream<Path> walk = Files.walk(directory))
        {
            files = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (final Path file : files)
        {
            Files.delete(file);
        }
    }
}
