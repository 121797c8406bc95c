// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

/**
 * Hashes the full blocks of a token sequence, as the submitter did for the prompt. The planner asks when a request is
 * evicted: its generated tokens have become part of its prompt.
 */
public interface PromptHasher
{
    /**
     * @param requestId whose cache key seeds the chain.
     * @param hashes    receives one hash per full block, each in 1 … 2^63 − 1.
     * @return the number of full blocks; another number, or a hash that is left out, is refused.
     */
    int hash(long requestId, int[] tokens, int tokenCount, long[] hashes);
}
