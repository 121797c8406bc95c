// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.engine.SteppedEngine;
import io.signalbox.kv.hash.BlockHashFunction;
import io.signalbox.report.RunReport;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.Arrivals;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Conversations of a generated workload on one rank with room for all of them. */
class SharedAnswersTest
{
    private static final int BLOCK = 16;
    private static final int SYSTEM_TOKENS = 512;

    private static Workload workload()
    {
        return GeneratedWorkload.of(GeneratedWorkloadConfig.builder().seed(11).conversations(20)
            .arrivals(new Arrivals.Poisson(0.1)).systemPromptTokens(SYSTEM_TOKENS).build());
    }

    private static SchedulerConfig.Builder config()
    {
        return SchedulerConfig.builder().ranks(1).kvBlocks(20_000).blockSizeTokens(BLOCK);
    }

    private static RunReport run(final SchedulerConfig config, final Workload workload)
    {
        return new Simulation(config, SimulationConfig.DEFAULT.withSeed(4), workload)
            .run(SteppedEngine::new, null, SimulationProgress.NONE);
    }

    /** The last token of an answer was never fed; every other one is found. */
    @ParameterizedTest
    @EnumSource(BlockHashFunction.class)
    void shouldFindEveryFullBlockOfTheLastAnswer(final BlockHashFunction function)
    {
        final Workload workload = workload();
        final RunReport report = run(config().blockHash(function).build(), workload);
        long matched = 0;
        long generated = 0;
        for (final WorkloadRequest request : workload.requests())
        {
            if (request.predecessorId() > 0)
            {
                final WorkloadRequest last = workload.requests().get((int)request.predecessorId() - 1);
                final int computed = (last.promptTokens() + last.outputTokens() - 1) / BLOCK;
                matched += computed;
                // Answers of earlier turns, too, are in blocks that decoding filled.
                for (WorkloadRequest turn = last; turn != null; turn = turn.predecessorId() < 0 ? null :
                    workload.requests().get((int)turn.predecessorId() - 1))
                {
                    generated += (turn.promptTokens() + turn.outputTokens() - 1) / BLOCK - turn.promptTokens() / BLOCK;
                }
            }
            else
            {
                matched += request.requestId() == 1 ? 0 : SYSTEM_TOKENS / BLOCK;
            }
        }
        assertTrue(generated > 100);
        assertEquals(matched, report.prefixCache().matchedBlocks());
        assertEquals(generated, report.prefixCache().generatedBlocks());
        assertEquals(0, report.prefixCache().pendingBlocks(), "one step at a time, one request each");
    }

    /** Two requests of one instant whose prompts begin alike. */
    @Test
    void shouldShareBlocksThatAnotherRequestOfTheStepComputes()
    {
        final Workload workload = ListWorkload.of(ListWorkload.arriving(1, 0, 80, 3), ListWorkload.arriving(2, 0, 80, 3));
        final RunReport alone = run(config().build(), workload);
        final RunReport inStep = run(config().sameStepSharing(true).build(), workload);
        assertEquals(0, alone.prefixCache().pendingBlocks());
        assertEquals(79 / BLOCK, inStep.prefixCache().pendingBlocks());
        assertEquals(79 / BLOCK, inStep.prefixCache().matchedBlocks());
        assertEquals(79 / BLOCK * BLOCK, alone.steps().tokens() - inStep.steps().tokens());
    }
}
