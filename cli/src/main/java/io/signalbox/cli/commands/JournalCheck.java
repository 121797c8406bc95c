// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.Check;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.files.FileFault;
import io.signalbox.journal.Ending;
import io.signalbox.journal.JournalProbe;
import io.signalbox.journal.Verification;
import io.signalbox.printing.Decimals;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.Simulation;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.SimulationProgress;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.SizeDistribution;

import java.io.IOException;
import java.nio.file.Path;

/** The check of {@code doctor} that simulates, journals and verifies a very small run. */
final class JournalCheck
{
    private static final String NAME = "journal";

    private JournalCheck()
    {
    }

    /** @param parent the directory that is checked. */
    static Check in(final Path parent)
    {
        final SchedulerConfig config = SchedulerConfig.builder().capture(new ModelShape(2, 8, 2)).build();
        final Simulation simulation = new Simulation(config, SimulationConfig.DEFAULT,
            GeneratedWorkload.of(workload()));
        try
        {
            return verdict(JournalProbe.run(parent, simulation.settings(),
                journal -> simulation.run(SteppedEngine::new, journal, SimulationProgress.NONE)));
        }
        // Chronicle throws errors, and not only exceptions, if the JVM denies it access.
        catch (final IOException | RuntimeException | LinkageError | AssertionError e)
        {
            final String reason = e instanceof IOException ? FileFault.reason((IOException)e) : e.toString();
            return Check.missing(NAME, "a small run in " + parent + " failed: " + reason,
                "correct the checks that failed above; if none did, choose another place with --journal DIR");
        }
    }

    /** Each step is a sync, which takes milliseconds on many disks: some dozens show as much as thousands. */
    static GeneratedWorkloadConfig workload()
    {
        return GeneratedWorkloadConfig.builder().conversations(2).turns(new SizeDistribution.Fixed(2))
            .outputTokens(new SizeDistribution.Fixed(8)).build();
    }

    private static Check verdict(final Verification found)
    {
        return found.matches() && found.ending() == Ending.CLOSED
            ? Check.ok(NAME, "a small run was journaled, synced, read back and verified: " +
                Decimals.grouped(found.records()) + " records")
            : Check.missing(NAME, "a small run did not verify", "please report it, with the output of 'signalbox doctor'");
    }
}
