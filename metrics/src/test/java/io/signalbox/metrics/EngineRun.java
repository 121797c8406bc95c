// SPDX-License-Identifier: Apache-2.0
package io.signalbox.metrics;

import io.signalbox.backend.Backend;
import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Engines with two ranks and captured experts, and requests for them. */
final class EngineRun
{
    static final int PROMPT_TOKENS = 40;
    static final int NEW_TOKENS = 5;
    static final ModelShape SHAPE = new ModelShape(4, 64, 2);

    private EngineRun()
    {
    }

    static SignalboxEngine launch()
    {
        return launch(new OneThreadBackend());
    }

    static SignalboxEngine launch(final Backend backend)
    {
        return SignalboxEngine.launch(new EngineConfig()
            .scheduler(SchedulerConfig.builder().ranks(2).kvBlocks(1025).blockSizeTokens(16).capture(SHAPE).build())
            .backend(backend));
    }

    static CompletionRequest request()
    {
        return CompletionRequest.prompt(new int[PROMPT_TOKENS]).maxNewTokens(NEW_TOKENS);
    }

    /** Submits as many requests, and waits for their ends. */
    static void complete(final SignalboxEngine engine, final int requests) throws InterruptedException
    {
        final List<CompletionHandle> handles = new ArrayList<>();
        for (int i = 0; i < requests; i++)
        {
            handles.add(engine.submit(request()));
        }
        for (final CompletionHandle handle : handles)
        {
            final Completion completion = handle.await();
            assertEquals(NEW_TOKENS, completion.tokenCount(), completion::toString);
        }
    }
}
