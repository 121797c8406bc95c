// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

/**
 * The tokens of a workload's prompts. The prompt of a request with a predecessor begins with the whole prompt of that one,
 * and with its answer.
 */
public interface PromptText
{
    /** The tokens that answers have. */
    interface Answers
    {
        /** @param position in the request; its prompt comes first. */
        int token(long requestId, int position);
    }

    /**
     * Writes tokens {@code [from, to)} of the request's prompt.
     *
     * @param target receives them from index 0 on.
     */
    void tokens(WorkloadRequest request, int from, int to, Answers answers, int[] target);

    /** Equal for two tokens, of prompts or answers, only if they and all tokens before them are equal. */
    long contentKey(WorkloadRequest request, int position);
}
