// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.engine.CompletionRequest;

import java.util.SplittableRandom;

/** The requests of the backend contract: prompts of all lengths, some of which begin alike; no temperature. */
final class ContractRequests
{
    private static final int TEMPLATES = 3;
    private static final int SHARED = 20;
    private static final int LONGEST_PROMPT = 60;
    private static final int MOST_NEW = 12;
    private static final int MOST_IDS = 1000;

    private ContractRequests()
    {
    }

    /** @param maxPositions of the backend; with fewer than 13 there is no room for a prompt and an answer. */
    static int[] prompt(final int index, final int vocabularySize, final int maxPositions)
    {
        final SplittableRandom random = new SplittableRandom(index);
        final int ids = Math.min(MOST_IDS, vocabularySize);
        final int template = index % TEMPLATES;
        final int[] prompt = new int[Math.max(1, Math.min(1 + random.nextInt(LONGEST_PROMPT), maxPositions - MOST_NEW))];
        for (int i = 0; i < prompt.length; i++)
        {
            prompt[i] = i < SHARED ? (template * 7 + i) % ids : random.nextInt(ids);
        }
        return prompt;
    }

    static int newTokens(final int index)
    {
        return 1 + index * 5 % MOST_NEW;
    }

    static CompletionRequest request(
        final int index, final int vocabularySize, final int maxPositions, final boolean rows)
    {
        final CompletionRequest request = CompletionRequest.prompt(prompt(index, vocabularySize, maxPositions))
            .maxNewTokens(newTokens(index)).temperature(0);
        return rows ? request.routedExperts(0) : request;
    }
}
