// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.workload.AcceptanceSeries;
import io.signalbox.workload.RecordedRequests;
import io.signalbox.workload.SplitMix64;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;

import java.util.List;

/** Decides which draft tokens are right, by request and position: no schedule changes it. */
interface DraftAcceptance
{
    /** Whether the draft token of the request at the position is right if those before it are. */
    boolean isRight(long requestId, int position);

    static DraftAcceptance of(final SimulationConfig config, final Workload workload)
    {
        final RecordedRequests record = workload.recorded();
        if (record != null && record.hasDrafts())
        {
            final DraftAcceptance seeded = seeded(config.seed(), config.draftAcceptance());
            return (requestId, position) ->
            {
                final int generated = position - workload.requests().get(workload.indexOf(requestId)).promptTokens();
                return generated < record.tokenCount(requestId)
                    ? record.isRightDraft(requestId, generated) : seeded.isRight(requestId, position);
            };
        }
        return config.acceptanceSeries() == null
            ? seeded(config.seed(), config.draftAcceptance()) : recorded(config.acceptanceSeries(), workload);
    }

    /** Each draft token is right with the same probability. */
    static DraftAcceptance seeded(final long seed, final double probability)
    {
        final int drawBits = 53;
        final long gamma = 0x9E3779B97F4A7C15L;
        final double limit = probability * (1L << drawBits);
        return (requestId, position) ->
            SplitMix64.mix(SplitMix64.mix(seed ^ gamma, requestId), position) >>> Long.SIZE - drawBits < limit;
    }

    /** As the series says, which fits the workload. */
    static DraftAcceptance recorded(final AcceptanceSeries series, final Workload workload)
    {
        final List<WorkloadRequest> requests = workload.requests();
        return (requestId, position) ->
            series.isRight(requestId, position - requests.get((int)requestId - 1).promptTokens());
    }
}
