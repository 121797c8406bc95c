// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.backend.Backend;
import io.signalbox.cuda.check.EngineRunner;
import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.FinishReason;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.experts.ModelShape;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The engine of the GPU check: one request on one rank without a journal, or several on two ranks with one. */
final class GpuEngine implements EngineRunner
{
    private static final int BLOCK_TOKENS = 16;
    private static final int PROMPT_TOKENS = 16;
    private static final int SMALL_BLOCK_TOKENS = 4;
    private static final int SMALL_POOL = 13;

    @Override
    public void generate(final Backend backend, final ModelShape capture, final int tokens)
    {
        final int blocks = 2 + (PROMPT_TOKENS + tokens) / BLOCK_TOKENS;
        final EngineConfig config = new EngineConfig().backend(backend).stepFailureListener(failure -> { })
            .scheduler(SchedulerConfig.builder()
            .ranks(1).blockSizeTokens(BLOCK_TOKENS).kvBlocks(2 * blocks).stepTokens(PROMPT_TOKENS).capture(capture)
            .build());
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            final Completion completion = engine.submit(
                CompletionRequest.prompt(new int[PROMPT_TOKENS]).maxNewTokens(tokens).temperature(0)).await();
            if (completion.reason() != FinishReason.LENGTH)
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

    @Override
    public Served serve(
        final Backend backend, final ModelShape capture, final List<int[]> prompts, final int tokens, final int drafts,
        final double seconds)
    {
        final ServedSteps steps = new ServedSteps();
        try (ScratchJournal journal = new ScratchJournal())
        {
            final EngineConfig config = new EngineConfig().backend(backend).stepFailureListener(failure -> { })
            .scheduler(SchedulerConfig.builder()
                .ranks(2).blockSizeTokens(SMALL_BLOCK_TOKENS).kvBlocks(SMALL_POOL).stepTokens(PROMPT_TOKENS).capture(capture)
                .draftTokens(drafts).build()).listener(RunFold.of(steps)::onGroup).runJournal(
                    new DirectoryJournal(journal.directory(), JournalConfig.of(Durability.PROCESS)));
            final GpuAnswers answers = new GpuAnswers(prompts, tokens);
            answers.collect(config, seconds);
            final var difference = JournalVerifier.verify(journal.directory(), Scheduler::new).difference();
            if (difference != null)
            {
                throw new ConfigException("the journal of the run is not confirmed: " + difference);
            }
            return answers.served(steps.preemptions.get(), steps.severalTokens.get());
        }
    }

    /** Counts preemptions, and entries that gave several tokens. */
    private static final class ServedSteps implements RunListener
    {
        private final AtomicInteger preemptions = new AtomicInteger();
        private final AtomicInteger severalTokens = new AtomicInteger();

        @Override
        public void onRequeued(final RunRequest request, final RequeuedDecoder message)
        {
            if (message.reason() == RequeueReason.PREEMPTED)
            {
                preemptions.incrementAndGet();
            }
        }

        @Override
        public void onTokens(final RunRequest request, final int count, final long sinceNanos)
        {
            severalTokens.addAndGet(count > 1 ? 1 : 0);
        }
    }
}
