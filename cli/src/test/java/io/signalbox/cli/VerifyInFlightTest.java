// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.GroupJournal;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.DigestDecoder;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.WithdrawnDecoder;
import io.signalbox.experts.ModelShape;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.JournalWriter;
import io.signalbox.journal.Verification;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.FaultPlan;
import io.signalbox.sim.Simulation;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.SimulationProgress;
import io.signalbox.sim.WeightsPlan;
import io.signalbox.workload.Arrivals;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.SizeDistribution;
import io.signalbox.workload.Workload;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A verified journal leads to the state of the run at every record, with steps in flight, faults, drafts and new weights:
 * the run writes the digest of each part of its state behind every input.
 */
class VerifyInFlightTest
{
    private static final Workload WORKLOAD = GeneratedWorkload.of(GeneratedWorkloadConfig.builder()
        .seed(9).conversations(12).arrivals(new Arrivals.Poisson(20.0)).systemPromptTokens(64)
        .userTokens(new SizeDistribution.Lognormal(60.0, 1.0, 1, 300)).outputTokens(new SizeDistribution.Zipf(0.5, 20, 60))
        .meanThinkTimeNanos(100_000_000L).maxContextTokens(1200).build());

    @TempDir
    private Path directory;

    /** Counts groups, digests, and groups behind which steps are in flight, ahead of the journal. */
    private static final class Counted extends EventReader implements GroupJournal
    {
        private final GroupJournal journal;
        private int groups;
        private int digests;
        private int open;
        private int groupsInFlight;
        private int changes;

        Counted(final GroupJournal journal)
        {
            this.journal = journal;
        }

        @Override
        public void append(
            final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
        {
            readGroup(group, offset, length);
            groups++;
            groupsInFlight += open > 2 ? 1 : 0;
            journal.append(timeNanos, group, offset, length, rows);
        }

        @Override
        protected void onSchedule(final StepView step)
        {
            open++;
        }

        @Override
        protected void onCommit(final CommitView commit)
        {
            open--;
        }

        @Override
        protected void onWithdrawn(final WithdrawnDecoder message)
        {
            open--;
        }

        @Override
        protected void onDigest(final DigestDecoder message)
        {
            digests++;
        }

        @Override
        protected void onNewWeights(final NewWeightsDecoder message)
        {
            changes++;
        }

        @Override
        public void endOfBatch()
        {
            journal.endOfBatch();
        }

        @Override
        public void cutShort()
        {
            journal.cutShort();
        }

        @Override
        public void close()
        {
            journal.close();
        }
    }

    @Test
    void shouldVerifyAtEveryRecordWithStepsInFlight()
    {
        final SchedulerConfig config = SchedulerConfig.builder().ranks(2).depth(4).draftTokens(3).kvBlocks(400)
            .digestInterval(1).capture(new ModelShape(2, 16, 2)).build();
        final SimulationConfig simulated = SimulationConfig.DEFAULT
            .withFaults(FaultPlan.parse("failed=0.02, late=0.02, duplicated=0.02"))
            .withNewWeights(WeightsPlan.parse("continue@300ms,requeue@600ms,abort@900ms"));
        final Simulation simulation = new Simulation(config, simulated, WORKLOAD);
        final Path journal = directory.resolve("journal");
        final Counted counted = new Counted(
            JournalWriter.create(journal, simulation.settings(), JournalConfig.of(Durability.PROCESS)));
        simulation.run(SteppedEngine::new, counted, SimulationProgress.NONE);
        assertEquals(counted.groups, counted.digests, "a digest behind every input");
        assertEquals(3, counted.changes);
        assertTrue(counted.groupsInFlight > counted.groups / 3, counted.groupsInFlight + " of " + counted.groups);

        final Verification whole = JournalVerifier.verify(journal, Scheduler::new);
        assertNull(whole.difference());
        assertEquals(counted.groups, whole.groups());
    }
}
