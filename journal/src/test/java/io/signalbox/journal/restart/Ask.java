// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.engine.CompletionRequest;

/**
 * A request that a test submits.
 *
 * @param rowsFrom -1: no rows.
 */
public record Ask(int[] prompt, int maxNewTokens, int rowsFrom, int priority)
{
    CompletionRequest request()
    {
        final CompletionRequest request =
            CompletionRequest.prompt(prompt).maxNewTokens(maxNewTokens).priority(priority);
        return rowsFrom < 0 ? request : request.routedExperts(rowsFrom);
    }
}
