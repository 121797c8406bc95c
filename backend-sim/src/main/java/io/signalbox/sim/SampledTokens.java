// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.SeededTokens;
import io.signalbox.backend.StepTokens;
import io.signalbox.workload.RecordedRequests;
import io.signalbox.workload.SplitMix64;
import io.signalbox.workload.Workload;
import org.agrona.DirectBuffer;

/** Decides which tokens the simulated ranks sample, by request and position: no schedule changes one. */
interface SampledTokens
{
    /** The token at a position of a request, which weights of this generation sampled. */
    int token(long requestId, int position, int weightGeneration);

    /** Log-probability of the token that was sampled last at the position, or {@link StepTokens#NO_LOGPROB}. */
    default float logprob(final long requestId, final int position)
    {
        return StepTokens.NO_LOGPROB;
    }

    /** A function of the seed. */
    static SampledTokens seeded(final long seed)
    {
        return (requestId, position, generation) -> SeededTokens.token(
            generation == 0 ? seed : SplitMix64.mix(seed, generation), requestId, position);
    }

    /** As recorded; seeded behind the end of the record, and then never the token at which a request stops. */
    static SampledTokens of(final long seed, final Workload workload)
    {
        final SampledTokens seeded = seeded(seed);
        final RecordedRequests recorded = workload.recorded();
        if (recorded == null || !recorded.hasTokens())
        {
            return seeded;
        }
        return (requestId, position, generation) ->
        {
            final int prompt = workload.requests().get(workload.indexOf(requestId)).promptTokens();
            final int token = recorded.token(requestId, position - prompt);
            return token == RecordedRequests.NO_TOKEN
                ? beside(recorded.submit(requestId), seeded.token(requestId, position, generation)) : token;
        };
    }

    /** The next token that is not a stop token of the request. The vocabulary is larger than the list of stop tokens. */
    private static int beside(final DirectBuffer submit, final int token)
    {
        int next = token;
        while (RecordedSubmits.stopsAt(submit, next))
        {
            next = (next + 1) % SeededTokens.VOCABULARY_SIZE;
        }
        return next;
    }
}
