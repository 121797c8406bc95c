// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.SeededTokens;
import io.signalbox.workload.PromptText;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;

/**
 * All tokens of a prompt, for comparisons. If the workload does not know its tokens, those of two prompts are equal as far
 * as the workload says that the prompts are.
 */
final class PromptTokens
{
    private final Workload workload;
    private final PromptText text;
    private final PromptText.Answers answers;
    private int[] tokens = new int[0];
    private long[] prefixes = new long[0];

    /** @param seed of the simulated devices, which sample the answers. */
    PromptTokens(final Workload workload, final long seed)
    {
        this.workload = workload;
        text = workload.text();
        answers = (requestId, position) -> SeededTokens.token(seed, requestId, position);
    }

    /** The tokens from index 0 on; valid until the next call. */
    int[] of(final WorkloadRequest request)
    {
        final int count = request.promptTokens();
        tokens = tokens.length < count ? new int[count] : tokens;
        if (text != null)
        {
            text.tokens(request, 0, count, answers, tokens);
            return tokens;
        }
        prefixes = prefixes.length < count ? new long[count] : prefixes;
        workload.blockHashes(request, 1, prefixes);
        for (int i = 0; i < count; i++)
        {
            tokens[i] = (int)(prefixes[i] >>> Integer.SIZE);
        }
        return tokens;
    }
}
