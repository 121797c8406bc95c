// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Who and what the front door lets in. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DoorTest
{
    private static final CompletionRequest REQUEST = CompletionRequest.prompt(new int[10]).maxNewTokens(4);

    private static EngineConfig config()
    {
        return new EngineConfig().scheduler(SchedulerConfig.builder().ranks(2).kvBlocks(65).build())
            .backend(new CountingBackend(0));
    }

    @Test
    void shouldRefuseAPromptThatNoInputHolds()
    {
        assertEquals("the configuration of the engine is null; give one.",
            assertThrows(ConfigException.class, () -> SignalboxEngine.launch(null)).getMessage());
        try (SignalboxEngine engine = SignalboxEngine.launch(config()))
        {
            assertEquals("the prompt of request 1 has 2000000 tokens, which take 9000000 bytes with their hashes, above " +
                "the bound of 8388608 bytes; shorten it", assertThrows(IllegalArgumentException.class,
                    () -> engine.submit(CompletionRequest.prompt(new int[2_000_000]))).getMessage());
        }
    }

    @Test
    void shouldRefuseTokensOfAPromptThatTheModelDoesNotKnow()
    {
        try (SignalboxEngine engine = SignalboxEngine.launch(config().vocabularySize(50)))
        {
            assertEquals("token 2 of the prompt of request 1 is 50, but token ids of the model are 0 to 49; use its " +
                "tokenizer, or give the engine another vocabularySize", assertThrows(IllegalArgumentException.class,
                    () -> engine.submit(CompletionRequest.prompt(new int[] {0, 49, 50, 51}))).getMessage());
            final CompletionHandle known = engine.submit(CompletionRequest.prompt(new int[] {0, 49}).maxNewTokens(2));
            assertEquals(List.of(2, 3), seen(known));
        }
    }

    /** Prompt and answer together, also if the sum is above the range of int. */
    @Test
    void shouldRefuseASequenceThatTheBackendDoesNotCompute()
    {
        final CountingBackend backend = new CountingBackend(0)
        {
            @Override
            public BackendCapabilities capabilities()
            {
                return BackendCapabilities.named("counting").maxPositions(14).build();
            }
        };
        try (SignalboxEngine engine = SignalboxEngine.launch(config().backend(backend)))
        {
            assertEquals("request 1 may have 15 tokens, 10 of them its prompt, but the backend counting computes " +
                "sequences of at most 14; submit a shorter prompt, or a smaller maxNewTokens", assertThrows(
                    IllegalArgumentException.class, () -> engine.submit(REQUEST.maxNewTokens(5))).getMessage());
            assertTrue(assertThrows(IllegalArgumentException.class, () -> engine.submit(
                REQUEST.maxNewTokens(Integer.MAX_VALUE))).getMessage().contains("may have 2147483657 tokens"));
            assertEquals(List.of(10, 11, 12, 13), seen(engine.submit(REQUEST)));
        }
    }

    private static List<Integer> seen(final CompletionHandle request)
    {
        final List<Integer> seen = new ArrayList<>();
        request.forEach(seen::add);
        return seen;
    }

    /** As long as there is room, nothing waits, and so nothing is interrupted. */
    @Test
    void shouldServeAnInterruptedThreadIfThereIsRoom() throws Exception
    {
        try (SignalboxEngine engine = SignalboxEngine.launch(config()))
        {
            final CompletionHandle first = engine.submit(REQUEST.maxNewTokens(900));
            Thread.currentThread().interrupt();
            final CompletionHandle second = engine.submit(REQUEST);
            final boolean reset = engine.resetCache();
            first.cancel();
            assertTrue(Thread.interrupted(), "the status stays");
            assertTrue(reset);
            assertTrue(second.await().refusal().isEmpty());
            first.await();
        }
    }
}
