// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.GroupJournal;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalWriter;
import io.signalbox.journal.WriteBehind;
import io.signalbox.report.RunReport;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.FaultPlan;
import io.signalbox.sim.Simulation;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.SimulationProgress;
import io.signalbox.workload.Arrivals;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.SizeDistribution;
import io.signalbox.workload.Workload;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.function.UnaryOperator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Simulations whose journal is written behind them, against the same ones in one thread. */
class SimulationBehindTest
{
    private static final Workload WORKLOAD = GeneratedWorkload.of(GeneratedWorkloadConfig.builder()
        .seed(9).conversations(15).arrivals(new Arrivals.Poisson(20.0)).systemPromptTokens(200)
        .userTokens(new SizeDistribution.Lognormal(300.0, 1.0, 1, 1_000))
        .outputTokens(new SizeDistribution.Zipf(0.5, 20, 60))
        .meanThinkTimeNanos(100_000_000L).maxContextTokens(4_000).build());
    private static final SimulationConfig SIMULATED =
        SimulationConfig.DEFAULT.withFaults(FaultPlan.parse("failed=0.02, late=0.02, duplicated=0.02"));

    @TempDir
    private Path directory;

    private static Simulation simulation(final ModelShape capture)
    {
        return new Simulation(
            SchedulerConfig.builder().ranks(3).kvBlocks(400).capture(capture).build(), SIMULATED, WORKLOAD);
    }

    private String journaled(final Simulation simulation, final String name, final UnaryOperator<GroupJournal> behind)
    {
        final JournalWriter writer = JournalWriter.create(
            directory.resolve(name), simulation.settings(), JournalConfig.of(Durability.PROCESS));
        final RunReport report = simulation.run(SteppedEngine::new, writer, behind, SimulationProgress.NONE);
        assertTrue(writer.groups() > 500, writer.groups() + " groups");
        return writer.digest() + " " + report;
    }

    @Test
    void shouldGiveTheSameReportAndTheSameJournal()
    {
        for (final ModelShape capture : new ModelShape[] {null, new ModelShape(4, 64, 2), new ModelShape(3, 300, 4)})
        {
            final Simulation simulation = simulation(capture);
            final String name = capture == null ? "none" : "of" + capture.experts();

            assertEquals(journaled(simulation, name, null), journaled(simulation, name + "-behind", WriteBehind::of));

            final RunReport alone = simulation.run(SteppedEngine::new, null, SimulationProgress.NONE);
            assertEquals(
                alone.toString(),
                simulation.run(SteppedEngine::new, null, WriteBehind::of, SimulationProgress.NONE).toString());
        }
    }

    @Test
    void shouldEndWithTheFaultOfTheJournal()
    {
        final IllegalStateException planted = new IllegalStateException("planted");
        final GroupJournal failing = new GroupJournal()
        {
            private int groups;

            @Override
            public void append(
                final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
            {
                if (++groups == 100)
                {
                    throw planted;
                }
            }

            @Override
            public void endOfBatch()
            {
            }

            @Override
            public void close()
            {
            }
        };

        assertSame(planted, assertThrows(IllegalStateException.class, () -> simulation(null).run(
            SteppedEngine::new, failing, WriteBehind::of, SimulationProgress.NONE)));
    }
}
