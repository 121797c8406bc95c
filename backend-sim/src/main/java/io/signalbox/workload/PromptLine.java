// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

/**
 * A request of a file of prompts. A field that is {@code null} was not given.
 *
 * @param id as the file gives it; else the number of the line.
 */
public record PromptLine(
    String id, int[] prompt, Integer maxNewTokens, int[] stopTokens, Long conversation, SamplingFields sampling)
{
    /** How its answer is sampled. */
    public record SamplingFields(Double temperature, Integer topK, Double topP, Long seed)
    {
    }

    /** A prompt with nothing but its tokens. */
    public static PromptLine of(final String id, final int[] prompt)
    {
        return new PromptLine(id, prompt, null, null, null, new SamplingFields(null, null, null, null));
    }
}
