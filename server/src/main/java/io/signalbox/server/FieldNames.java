// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

/**
 * The names that a route has for fields that are checked after the body was read. Refusals use them.
 *
 * @param prompt    the field with tokens, text or messages.
 * @param maxTokens the field with the most tokens of an answer.
 * @param rowsFrom  the field with the first position whose routed experts are wanted.
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

    /** The field of the answer's length in a refusal: OpenAI's route has two names for it, and vLLM gives both. */
    String maxTokensInWords()
    {
        return maxTokens.equals(MAX_TOKENS) ? "'max_tokens' or 'max_completion_tokens'" : "'" + maxTokens + "'";
    }

    static FieldNames ofSglang(final String prompt)
    {
        return new FieldNames(prompt, SAMPLING + "max_new_tokens", "routed_experts_start_len");
    }
}
