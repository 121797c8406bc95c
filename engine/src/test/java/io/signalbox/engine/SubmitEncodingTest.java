// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.kv.hash.BlockHashFunction;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.List;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("threads")
class SubmitEncodingTest
{
    private static long[] hashes(final BlockHashFunction function, final int promptTokens)
    {
        final SubmitEncoding encoding = new SubmitEncoding(
            SchedulerConfig.builder().blockSizeTokens(32).blockHash(function).build(), Integer.MAX_VALUE, new int[0]);
        encoding.encode(CompletionRequest.prompt(IntStream.range(0, promptTokens).toArray()).maxNewTokens(1), 1);
        final SubmitDecoder submit = new SubmitDecoder()
            .wrapAndApplyHeader(encoding.writer.buffer(), 0, new MessageHeaderDecoder());
        final byte[] bytes = new byte[submit.blockHashesLength()];
        submit.getBlockHashes(bytes, 0, bytes.length);
        final long[] hashes = new long[bytes.length / Long.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(hashes);
        return hashes;
    }

    @Test
    void shouldHashThePromptAsTheConfigurationSays()
    {
        assertArrayEquals(new long[] {2845290477977848731L, 1683021452263153046L},
            hashes(BlockHashFunction.SHA_256, 70));
        assertArrayEquals(new long[] {6724566882517643958L, 7904376779639746298L},
            hashes(BlockHashFunction.XXH3_128, 70));
    }

    @Test
    void shouldEncodeStopTokensAscendingAndOnce()
    {
        final SubmitEncoding encoding = new SubmitEncoding(SchedulerConfig.builder().build(), Integer.MAX_VALUE, new int[0]);
        final CompletionRequest request = CompletionRequest.prompt(new int[] {1});
        assertEquals(List.of(9, 53, 70), stopTokens(encoding, request.stopAt(53, 9, 53, 70)));
        assertEquals(List.of(4), stopTokens(encoding, request.stopAt(53).stopAt(4)));
        assertEquals(List.of(), stopTokens(encoding, request.stopAt(53).stopAt()));
        assertEquals(List.of(), stopTokens(encoding, request));
    }

    private static List<Integer> stopTokens(final SubmitEncoding encoding, final CompletionRequest request)
    {
        encoding.encode(request, 1);
        final SubmitDecoder submit = new SubmitDecoder()
            .wrapAndApplyHeader(encoding.writer.buffer(), 0, new MessageHeaderDecoder());
        submit.skipBlockHashes();
        submit.skipCacheKey();
        submit.skipTokens();
        submit.skipHashChain();
        final byte[] bytes = new byte[submit.stopTokensLength()];
        submit.getStopTokens(bytes, 0, bytes.length);
        final IntBuffer tokens = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer();
        return IntStream.range(0, tokens.limit()).mapToObj(tokens::get).toList();
    }

    @Test
    void shouldRefuseRowsThatNobodyCaptures()
    {
        final SubmitEncoding encoding = new SubmitEncoding(SchedulerConfig.builder().build(), Integer.MAX_VALUE, new int[0]);
        assertEquals("request 7 wants routed experts, which this engine does not capture; give its SchedulerConfig the " +
                "model's shape by capture, or submit the request without rows",
            assertThrows(IllegalArgumentException.class,
                () -> encoding.encode(CompletionRequest.prompt(new int[] {1}).routedExperts(0), 7)).getMessage());
    }

    @Test
    void shouldRefuseATokenThatNoModelHas()
    {
        assertEquals("prompt[1]=-1 is not a token id; give token ids of the model, from 0.",
            assertThrows(ConfigException.class, () -> CompletionRequest.prompt(new int[] {0, -1})).getMessage());
    }

    @Test
    void shouldSayThatAConfigurationServesOneEngine()
    {
        final EngineConfig config = new EngineConfig().backend(new SilentBackend());
        try (SignalboxEngine engine = SignalboxEngine.launch(config))
        {
            assertEquals("an EngineConfig has been used to open an engine; make one for each engine, with a separate " +
                "journal.", assertThrows(ConfigException.class, () -> SignalboxEngine.launch(config)).getMessage());
            assertTrue(engine.failure().isEmpty());
        }
    }
}
