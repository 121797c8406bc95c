// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import io.signalbox.DocumentSchema;
import io.signalbox.printing.RunDocument;

import java.util.List;

/**
 * {@code run --json}. All times are real.
 *
 * @param prompts    prompts of the run
 * @param incomplete prompts without a complete answer
 * @param failures   the first 16 prompts that failed
 * @param report     report of the run; {@code simulatedSeconds} and {@code simulatedOverWall} count real time
 */
@DocumentSchema("signalbox.run/2")
public record ServedDocument(int prompts, int incomplete, List<Failure> failures, RunDocument report)
{
    /**
     * A prompt that failed.
     *
     * @param id      id of the prompt
     * @param failure why it failed
     */
    public record Failure(String id, String failure)
    {
    }

    /** @param failed the first prompts that failed. */
    public static ServedDocument of(
        final int prompts, final int incomplete, final List<PromptAnswer> failed, final RunDocument report)
    {
        return new ServedDocument(prompts, incomplete,
            failed.stream().map(answer -> new Failure(answer.id(), answer.failure())).toList(), report);
    }
}
