// SPDX-License-Identifier: Apache-2.0
package io.signalbox.calibrate;

import io.signalbox.cost.ServedStepCost;
import io.signalbox.cost.StepPart;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.D2hDelay;
import io.signalbox.sim.Simulation;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.state.RunFold;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.SizeDistribution;
import io.signalbox.workload.WorkloadPreset;

/**
 * Simulates a point: a closed loop at its concurrency, as public benchmarks run it, with lengths near the means. The prefix
 * cache is off, and no request waits for memory.
 */
final class LoadLoop
{
    private static final int REQUESTS_PER_SLOT = 5;
    /** Bounds the time of a simulation. */
    private static final long MOST_TOKENS = 2_000_000;
    private static final int BLOCK_TOKENS = 64;
    private static final int STEP_TOKENS = 8192;
    private static final int LEAST_RUNNING = 256;

    private LoadLoop()
    {
    }

    /**
     * A simulated point.
     *
     * @param ttftParts milliseconds by {@link StepPart}.
     * @param tpotParts milliseconds by {@link StepPart}.
     */
    record Result(double ttftMillis, double tpotMillis, double[] ttftParts, double[] tpotParts)
    {
    }

    static Result run(final LoadPoint point, final ServedStepCost cost)
    {
        final int ranks = cost.shape().dataParallel();
        final LoopSteps steps = new LoopSteps(cost, ranks, point.concurrency());
        final RunFold fold = RunFold.of(steps);
        final SimulationConfig costs =
            SimulationConfig.DEFAULT.withServedCost(cost).withD2hDelay(new D2hDelay(0, 0, 0));
        new Simulation(scheduler(point, ranks), costs, GeneratedWorkload.of(workload(point)))
            .run(SteppedEngine::new, (time, group, offset, length, rows) -> fold.onGroup(group, offset, length),
                (ended, total, nanos) -> { });
        return new Result(steps.ttftMillis(), steps.tpotMillis(), steps.ttftParts(), steps.tpotParts());
    }

    private static GeneratedWorkloadConfig workload(final LoadPoint point)
    {
        final long perRequest = (long)point.outputTokens() + point.promptTokens() / 16;
        final long most = Math.max(2L * point.concurrency(), MOST_TOKENS / perRequest);
        return WorkloadPreset.BENCHMARK.builder().clients(point.concurrency())
            .conversations((int)Math.min((long)REQUESTS_PER_SLOT * point.concurrency(), most))
            .turns(new SizeDistribution.Fixed(1)).userTokens(around(point.promptTokens()))
            .outputTokens(around(point.outputTokens())).maxContextTokens(SizeDistribution.MAX_SIZE).build();
    }

    private static SizeDistribution around(final int mean)
    {
        final int spread = mean / 9;
        return spread == 0 ? new SizeDistribution.Fixed(mean) : new SizeDistribution.Uniform(mean - spread, mean + spread);
    }

    private static SchedulerConfig scheduler(final LoadPoint point, final int ranks)
    {
        final long longest = (point.promptTokens() + point.outputTokens()) * 10L / 9 + 2;
        final long blocks = (longest / BLOCK_TOKENS + 2) * point.concurrency() + 2;
        return SchedulerConfig.builder().ranks(ranks).lockStep(ranks > 1).prefixCaching(false)
            .blockSizeTokens(BLOCK_TOKENS).kvBlocks((int)Math.min(blocks, 1 << 22)).stepTokens(STEP_TOKENS)
            .maxRunning(Math.max(LEAST_RUNNING, point.concurrency())).router("round-robin").build();
    }
}
