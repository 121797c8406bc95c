// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Test;

import java.util.List;

import static io.signalbox.sim.ListWorkload.arriving;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The checks of {@link FaultyRun} find backends with a planted defect. */
class FaultPlantTest
{
    /** The third runs on the rank that was lost. */
    private static final ListWorkload THREE =
        ListWorkload.of(arriving(1, 0, 40, 60), arriving(2, 0, 40, 60), arriving(3, 300_000_000L, 40, 60));

    private static List<String> findings(final String faults, final Plant plant)
    {
        final SchedulerConfig config = SchedulerConfig.builder().ranks(2).kvBlocks(100).build();
        final SimulationConfig simulation = SimulationConfig.DEFAULT.withFaults(FaultPlan.parse(faults));
        return FaultyRun.of(config, simulation, THREE, backend ->
        {
            plant.backend = backend;
            return plant;
        }).findings;
    }

    @Test
    void shouldFindNothingIfThePlantDoesNothing()
    {
        assertEquals(List.of(), findings(
            "rank 0 step 5 late 400ms; rank 0 step 9 failed; rank 0 step 12 dropped; step-timeout=100ms, back-after=5ms",
            new Plant()));
    }

    @Test
    void shouldFindAStaleCompletionThatIsReportedAsNew()
    {
        final List<String> findings =
            findings("rank 0 step 5 late 400ms; step-timeout=100ms, back-after=5ms", new StaleAsNew());

        assertTrue(findings.stream().anyMatch(finding -> finding.contains("without faults it is")), findings.toString());
    }

    @Test
    void shouldFindARequeueThatIsSwallowed()
    {
        final List<String> findings = findings("rank 0 step 9 failed", new SwallowedRequeue());

        assertEquals(List.of("1 steps timed out, and no fault explains it"), findings);
    }

    /** Passes everything on. */
    private static class Plant implements Backend, CompletionSink
    {
        Backend backend;
        CompletionSink engine;

        @Override
        public BackendCapabilities capabilities()
        {
            return backend.capabilities();
        }

        @Override
        public void start(final int ranks, final ModelShape shape, final CompletionSink completions)
        {
            engine = completions;
            backend.start(ranks, shape, this);
        }

        @Override
        public void submit(final StepView plan)
        {
            backend.submit(plan);
        }

        @Override
        public void abort(final int rank, final long step)
        {
            backend.abort(rank, step);
        }

        @Override
        public void close()
        {
            backend.close();
        }

        @Override
        public void forward(
            final long timeNanos, final int epoch, final int rank, final long step, final long deviceTimeNanos)
        {
            engine.forward(timeNanos, epoch, rank, step, deviceTimeNanos);
        }

        @Override
        public void d2hComplete(
            final long timeNanos,
            final int epoch,
            final int rank,
            final long step,
            final StepTokens tokens,
            final CaptureSlice rows)
        {
            engine.d2hComplete(timeNanos, epoch, rank, step, tokens, rows);
        }

        @Override
        public void fault(
            final long timeNanos,
            final int epoch,
            final int rank,
            final long step,
            final StepFault faultClass,
            final String detail)
        {
            engine.fault(timeNanos, epoch, rank, step, faultClass, detail);
        }
    }

    /** Gives every completion the epoch and step of the plan that the rank was given last. */
    private static final class StaleAsNew extends Plant
    {
        private final int[] lastEpochs = new int[2];
        private final long[] lastSteps = new long[2];
        private final StepTokens[] lastPlans = new StepTokens[2];

        /** Tokens that the engine cannot tell from those of the plan. */
        private static StepTokens forged(final StepView plan)
        {
            final StepTokens tokens = new StepTokens().begin(plan);
            for (int entry = 0; entry < plan.entryCount(); entry++)
            {
                tokens.entry(plan.start(entry));
                if (plan.samples(entry))
                {
                    tokens.accept(1);
                }
            }
            return tokens;
        }

        @Override
        public void submit(final StepView plan)
        {
            lastEpochs[plan.rank()] = plan.epoch();
            lastSteps[plan.rank()] = plan.step();
            lastPlans[plan.rank()] = forged(plan);
            super.submit(plan);
        }

        @Override
        public void d2hComplete(
            final long timeNanos,
            final int epoch,
            final int rank,
            final long step,
            final StepTokens tokens,
            final CaptureSlice rows)
        {
            final boolean stale = step != lastSteps[rank] || epoch != lastEpochs[rank];
            backend.abort(rank, lastSteps[rank]);
            super.d2hComplete(
                timeNanos, lastEpochs[rank], rank, lastSteps[rank], stale ? lastPlans[rank] : tokens, rows);
        }
    }

    /** Does not run the first plan after a fault. */
    private static final class SwallowedRequeue extends Plant
    {
        private boolean failed;

        @Override
        public void submit(final StepView plan)
        {
            if (failed)
            {
                failed = false;
                return;
            }
            super.submit(plan);
        }

        @Override
        public void fault(
            final long timeNanos,
            final int epoch,
            final int rank,
            final long step,
            final StepFault faultClass,
            final String detail)
        {
            failed = true;
            super.fault(timeNanos, epoch, rank, step, faultClass, detail);
        }
    }
}
