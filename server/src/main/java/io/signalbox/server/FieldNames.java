// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

/**
 * What a route calls the fields that are checked after they were read, for refusals.
 *
 * @param prompt    tokens, text or messages.
 * @param maxTokens of an answer.
 * @param rowsFrom  first position whose routed experts are wanted.
 */
record FieldNames(String prompt, String maxTokens, String rowsFrom)
{
    private static final String MAX_TOKENS = "max_tokens";
    private static final String PROMPT_START = "routed_experts_prompt_start";
    private static final String SAMPLING = "sampling_params.";

    static FieldNames ofOpenAi(final String prompt)
    {
        return new FieldNames(prompt, MAX_TOKENS, PROMPT_START);
    }

    static FieldNames ofVllm(final String prompt)
    {
        return new FieldNames(prompt, SAMPLING + MAX_TOKENS, SAMPLING + PROMPT_START);
    }

    static FieldNames ofSglang(final String prompt)
    {
        return new FieldNames(prompt, SAMPLING + "max_new_tokens", "routed_experts_start_len");
    }
}
