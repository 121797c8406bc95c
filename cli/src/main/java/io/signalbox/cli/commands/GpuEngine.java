// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.backend.Backend;
import io.signalbox.cuda.check.EngineRunner;
import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;

/** The engine of the GPU check: one rank, threads that block, no journal, one request. */
final class GpuEngine implements EngineRunner
{
    private static final int BLOCK_TOKENS = 16;
    private static final int PROMPT_TOKENS = 16;

    @Override
    public void generate(final Backend backend, final ModelShape capture, final int tokens)
    {
        final int blocks = 2 + (PROMPT_TOKENS + tokens) / BLOCK_TOKENS;
        final EngineConfig config = new EngineConfig().backend(backend).scheduler(SchedulerConfig.builder()
            .ranks(1).blockSizeTokens(BLOCK_TOKENS).kvBlocks(2 * blocks).stepTokens(PROMPT_TOKENS).capture(capture)
            .build());
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            final Completion completion = engine.submit(
                CompletionRequest.prompt(new int[PROMPT_TOKENS]).maxNewTokens(tokens).temperature(0)).await();
            if (completion.reason() != FreeReason.LENGTH)
            {
                throw new ConfigException("the request ended by " + completion.reason() +
                    " instead of its length; see what the other sections say about this device.");
            }
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the request ran", e);
        }
    }
}
