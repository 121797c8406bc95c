// SPDX-License-Identifier: Apache-2.0
package com.example.embedding;

import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.scheduler.SchedulerConfig;

/** Launches an engine, and prints the tokens of one request as they come. */
public final class FirstTokens
{
    private FirstTokens()
    {
    }

    public static void main(final String[] args) throws InterruptedException
    {
        final EngineConfig config = new EngineConfig()
            .scheduler(SchedulerConfig.builder().ranks(2).kvBlocks(1025).blockSizeTokens(16).build())
            .backend(new EchoBackend());
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            final CompletionHandle request =
                engine.submit(CompletionRequest.prompt(new int[] {11, 22, 33}).maxNewTokens(5));
            for (final int token : request)
            {
                System.out.println("token " + token);
            }
            final Completion completion = request.await();
            System.out.println("ended by " + completion.reason() + " after " + completion.tokenCount() + " tokens");
        }
    }
}
