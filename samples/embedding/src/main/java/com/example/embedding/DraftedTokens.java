// SPDX-License-Identifier: Apache-2.0
package com.example.embedding;

import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.scheduler.SchedulerConfig;

/** Generates with draft tokens and two steps in flight, and prints how many steps that took. */
public final class DraftedTokens
{
    private DraftedTokens()
    {
    }

    public static void main(final String[] args) throws InterruptedException
    {
        final EngineConfig config = new EngineConfig()
            .scheduler(SchedulerConfig.builder().kvBlocks(65).blockSizeTokens(16).depth(2).draftTokens(3).build())
            .vocabularySize(DraftingBackend.VOCABULARY)
            .backend(new DraftingBackend());
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            final CompletionHandle request =
                engine.submit(CompletionRequest.prompt(new int[] {11, 22, 33}).maxNewTokens(120));
            request.await();
            final long steps = engine.stats().steps().committed();
            System.out.println(request.tokenCount() + " tokens, " + request.tokenCount() / steps + " or more per step");
        }
    }
}
