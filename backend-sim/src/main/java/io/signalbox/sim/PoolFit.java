// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.ConfigException;
import io.signalbox.batch.BlockSize;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;

import java.util.function.Function;

/** Whether every request of a workload could run alone on one rank; one that cannot would only ever be refused. */
public final class PoolFit
{
    /** The dummy block of each pool belongs to no request. */
    private static final int DUMMY_BLOCKS = 1;

    private PoolFit()
    {
    }

    /**
     * @param place names a request for the message: its number, or its line in a file.
     * @throws ConfigException that names the largest request when one rank's pool is too small for it.
     */
    public static void check(
        final Workload workload, final SchedulerConfig config, final Function<WorkloadRequest, String> place)
    {
        WorkloadRequest largest = null;
        long mostBlocks = config.kvBlocks() - DUMMY_BLOCKS;
        for (final WorkloadRequest request : workload.requests())
        {
            final long blocks =
                BlockSize.blocksNeeded(request.promptTokens(), request.outputTokens(), config.blockSizeTokens());
            if (blocks > mostBlocks)
            {
                mostBlocks = blocks;
                largest = request;
            }
        }
        if (largest != null)
        {
            final long enough = mostBlocks + DUMMY_BLOCKS;
            throw ConfigException.because(place.apply(largest) + " (" + largest.promptTokens() + " prompt and " +
                    largest.outputTokens() + " output tokens) needs " + mostBlocks + " KV blocks of " +
                    config.blockSizeTokens() + " tokens, and one rank's pool of ",
                    SchedulerConfig.KV_BLOCKS.of(config.kvBlocks()),
                    " has " + (config.kvBlocks() - DUMMY_BLOCKS) + " beside its dummy block")
                .allowed("at least " + enough).remedy("give at least " + enough + " blocks, or larger ones");
        }
    }
}
