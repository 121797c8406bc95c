// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.ConfigException;
import io.signalbox.batch.BlockSize;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import org.junit.jupiter.api.Test;

import java.util.Comparator;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PoolFitTest
{
    private static final int BLOCK_SIZE_TOKENS = 16;
    private static final Workload WORKLOAD =
        GeneratedWorkload.of(GeneratedWorkloadConfig.builder().conversations(50).seed(5).build());

    @Test
    void shouldNameTheLargestRequestAndTheBlocksItNeeds()
    {
        final WorkloadRequest largest =
            WORKLOAD.requests().stream().max(Comparator.comparingLong(PoolFitTest::blocks)).orElseThrow();
        final int enough = (int)blocks(largest) + 1;

        assertDoesNotThrow(() -> check(enough));
        final ConfigException refusal = assertThrows(ConfigException.class, () -> check(enough - 1));
        assertTrue(refusal.getMessage().startsWith("request " + largest.requestId() + " "), refusal.getMessage());
        assertTrue(refusal.getMessage().contains("give at least " + enough + " blocks"), refusal.getMessage());
    }

    private static void check(final int kvBlocks)
    {
        final SchedulerConfig config =
            SchedulerConfig.builder().blockSizeTokens(BLOCK_SIZE_TOKENS).kvBlocks(kvBlocks).build();
        PoolFit.check(WORKLOAD, config, request -> "request " + request.requestId());
    }

    private static long blocks(final WorkloadRequest request)
    {
        return BlockSize.blocksNeeded(request.promptTokens(), request.outputTokens(), BLOCK_SIZE_TOKENS);
    }
}
