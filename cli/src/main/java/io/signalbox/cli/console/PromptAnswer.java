// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import io.signalbox.engine.Completion;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.printing.EnumNames;

/**
 * The answer to one prompt.
 *
 * @param text       {@code null} without a tokenizer.
 * @param logprobs   {@code null} if they were not asked for.
 * @param experts    {@code null} if they were not asked for.
 * @param failure    why it failed, one sentence; {@code null} if it did not.
 * @param firstNanos from the submission to the first token; -1 if there is none.
 * @param totalNanos from the submission to the end.
 */
public record PromptAnswer(
    String id, int promptTokens, Completion completion, String text, float[] logprobs, RoutedExperts experts,
    String failure, long firstNanos, long totalNanos)
{
    /** Why it ended, such as {@code length}; {@code refused} if it never ran. */
    public String finishReason()
    {
        return completion.isRefused() ? "refused" : EnumNames.label(completion.reason());
    }

    /** Whether it has all its tokens. */
    public boolean isComplete()
    {
        return !completion.isRefused() && switch (completion.reason())
        {
            case LENGTH, STOP -> true;
            default -> false;
        };
    }
}
