// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.experts.ModelShape;
import io.signalbox.kv.hash.BlockHashFunction;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** The next turn of a conversation finds the blocks that the last answer filled, also through a client. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NextTurnTest
{
    private static final int BLOCK = 16;
    private static final byte[] TENANT = {1, 2, 3};
    private static final byte[] OTHER_TENANT = {1, 2, 4};

    private final AnsweringBackend backend = new AnsweringBackend();
    private final AtomicLong clock = new AtomicLong();

    private EngineConfig context(final BlockHashFunction function)
    {
        return new EngineConfig().backend(backend).clock(clock::incrementAndGet).scheduler(SchedulerConfig.builder().ranks(1)
            .blockSizeTokens(BLOCK).kvBlocks(65).blockHash(function).capture(new ModelShape(2, 64, 2)).build());
    }

    private Completion ask(final EngineClient client, final int[] prompt, final int newTokens, final byte[] key)
        throws Exception
    {
        final CompletionHandle handle = client.submit(
            CompletionRequest.prompt(prompt).maxNewTokens(newTokens).cacheKey(key), TimeUnit.SECONDS.toNanos(1));
        while (backend.completeNext())
        {
            // Each completion plans the next step.
        }
        final Completion ended = handle.ended().get(60, TimeUnit.SECONDS);
        assertEquals(FinishReason.LENGTH, ended.reason());
        final int[] answer = IntStream.range(prompt.length, prompt.length + newTokens)
            .map(position -> AnsweringBackend.token(handle.requestId(), position)).toArray();
        assertArrayEquals(answer, ended.tokens());
        return ended;
    }

    private static int[] nextPrompt(final int[] prompt, final int[] answer, final int newTokens)
    {
        return IntStream.concat(IntStream.concat(IntStream.of(prompt), IntStream.of(answer)),
            IntStream.range(0, newTokens)).toArray();
    }

    @ParameterizedTest
    @EnumSource(BlockHashFunction.class)
    void shouldFindTheLastAnswerInTheNextTurn(final BlockHashFunction function) throws Exception
    {
        final EngineConfig context = context(function);
        final EngineClient client = new EngineClient(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            int[] prompt = IntStream.range(100, 140).toArray();
            int computed = 0;
            for (int turn = 0; turn < 5; turn++)
            {
                final Completion ended = ask(client, prompt, 30, TENANT);
                assertEquals(computed / BLOCK * BLOCK, ended.inheritedRows(), "turn " + turn);
                // The last token was never fed.
                computed = prompt.length + 30 - 1;
                assertEquals(computed, ended.inheritedRows() + ended.capturedRows());
                final int[] next = nextPrompt(prompt, ended.tokens(), 10);
                assertEquals(0, ask(client, next, 2, OTHER_TENANT).inheritedRows() / next.length, "another tenant");
                prompt = next;
            }
        }
    }

    /** A prompt shorter than a block has no hash: its chain begins with the cache key. */
    @ParameterizedTest
    @EnumSource(BlockHashFunction.class)
    void shouldFindTheFirstBlockThatDecodingFilled(final BlockHashFunction function) throws Exception
    {
        final EngineConfig context = context(function);
        final EngineClient client = new EngineClient(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final int[] prompt = {5};
            final Completion ended = ask(client, prompt, BLOCK, TENANT);
            final int[] next = nextPrompt(prompt, ended.tokens(), 0);
            assertEquals(BLOCK, ask(client, next, 1, TENANT).inheritedRows());
            assertEquals(0, ask(client, next, 1, OTHER_TENANT).inheritedRows());
        }
    }

    @Test
    void shouldNotShareABlockWhoseLastTokenWasNeverFed() throws Exception
    {
        final EngineConfig context = context(BlockHashFunction.SHA_256);
        final EngineClient client = new EngineClient(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final int[] prompt = {5};
            final Completion ended = ask(client, prompt, BLOCK - 1, TENANT);
            assertEquals(0, ask(client, nextPrompt(prompt, ended.tokens(), 4), 1, TENANT).inheritedRows());
        }
    }
}
