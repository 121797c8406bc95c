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

    /** Whether a stop token is sampled only at positions where the request may stop. */
    default boolean leavesOutStopTokens()
    {
        return false;
    }

    /** A function of the seed. */
    static SampledTokens seeded(final long seed)
    {
        return (requestId, position, generation) -> SeededTokens.token(
            generation == 0 ? seed : SplitMix64.mix(seed, generation), requestId, position);
    }

    /** As recorded, or seeded if the workload has no record. */
    static SampledTokens of(final long seed, final Workload workload)
    {
        final SampledTokens seeded = seeded(seed);
        return workload.recorded() == null ? seeded : new Recorded(workload, workload.recorded(), seeded);
    }

    /** The tokens of a recorded run. After the end of the record they are seeded, and never a stop token of the request. */
    record Recorded(Workload workload, RecordedRequests requests, SampledTokens seeded) implements SampledTokens
    {
        @Override
        public int token(final long requestId, final int position, final int weightGeneration)
        {
            final int token = requests.hasTokens() ? recorded(requestId, position) : RecordedRequests.NO_TOKEN;
            return token != RecordedRequests.NO_TOKEN ? token :
                beside(requests.submit(requestId), seeded.token(requestId, position, weightGeneration));
        }

        private int recorded(final long requestId, final int position)
        {
            final int prompt = workload.requests().get(workload.indexOf(requestId)).promptTokens();
            return requests.token(requestId, position - prompt);
        }

        /** The sampler of the recorded run left them out where they were not allowed. */
        @Override
        public boolean leavesOutStopTokens()
        {
            return true;
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
}
