// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.engine.ring.Nanos;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.kv.hash.BlockHashFunction;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

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

    /** No number means that there is no seed. */
    @ParameterizedTest
    @ValueSource(longs = {-2, -1, 0, 1, Long.MAX_VALUE, Long.MIN_VALUE})
    void shouldEncodeEveryNumberAsTheSeedThatItIs(final long seed)
    {
        final CompletionRequest request = CompletionRequest.prompt(new int[] {1}).seed(seed);
        assertEquals(OptionalLong.of(seed), request.seed());
        assertEquals(seed, encodedSeed(request, 7));
        for (int sample = 1; sample < 4; sample++)
        {
            assertEquals(seed + sample, encodedSeed(request.sample(7, sample), 7 + sample));
        }
    }

    @Test
    void shouldEncodeTheIdOfARequestWithoutASeed()
    {
        final CompletionRequest request = CompletionRequest.prompt(new int[] {1});
        assertEquals(OptionalLong.empty(), request.seed());
        assertEquals(7, encodedSeed(request, 7));
        assertEquals(8, encodedSeed(request.sample(7, 1), 8));
    }

    private static long encodedSeed(final CompletionRequest request, final long requestId)
    {
        final SubmitEncoding encoding = new SubmitEncoding(SchedulerConfig.builder().build(), Integer.MAX_VALUE, new int[0]);
        encoding.encode(request, requestId);
        return new SubmitDecoder().wrapAndApplyHeader(encoding.writer.buffer(), 0, new MessageHeaderDecoder())
            .samplingSeed();
    }

    @Test
    void shouldNameEverySettingOfARequestInItsText()
    {
        final CompletionRequest request = CompletionRequest.prompt(new int[] {1, 2});
        assertEquals("2 prompt tokens, up to 16 new, temperature 1.0", request.toString());
        assertEquals("2 prompt tokens, up to 9 new and at least 3, without end tokens, 1 stop token, greedy, top-k 4, " +
            "top-p 0.5, seed -1, with log-probabilities, deadline 1.5 s after submission, priority 2, conversation 6, " +
            "cache key of 3 bytes, rank 1 if it has room, sample of request 7, id 'a-7' of the client, " +
            "routed experts from position 0",
            request.maxNewTokens(9).minNewTokens(3).ignoreEos().stopAt(5).temperature(0).topK(4).topP(0.5).seed(-2)
                .logprobs().deadline(Duration.ofMillis(1500)).priority(2).conversation(6).cacheKey(new byte[3]).rankHint(1)
                .clientId("a-7").routedExperts(0).sample(7, 1).toString());
        assertTrue(request.deadlineAt(Instant.EPOCH).toString().endsWith(", deadline 1970-01-01T00:00:00Z"));
        assertTrue(request.deadlineAt(77).toString().endsWith(", deadline 77 ns on the engine's clock"));
    }

    /** The time of the reading does not count. */
    @Test
    void shouldTellTheDeadlineByTheTimeOfTheSubmission()
    {
        final CompletionRequest request = CompletionRequest.prompt(new int[] {1});
        final Instant submitted = Instant.ofEpochSecond(1000);
        assertEquals(OptionalLong.of(1_500_000_007),
            request.deadline(Duration.ofMillis(1500)).deadlineNanos(7, submitted));
        assertEquals(OptionalLong.of(77), request.deadlineAt(77).deadlineNanos(7, submitted));
        assertEquals(OptionalLong.empty(), request.deadlineNanos(7, submitted));
        assertEquals(OptionalLong.of(2_000_000_007),
            request.deadlineAt(submitted.plusSeconds(2)).deadlineNanos(7, submitted));
        assertEquals(OptionalLong.of(3), request.deadlineAt(submitted.minusNanos(4)).deadlineNanos(7, submitted));
        assertEquals(OptionalLong.of(0), request.deadlineAt(Instant.EPOCH).deadlineNanos(7, submitted));
        assertEquals(OptionalLong.of(Long.MAX_VALUE), request.deadlineAt(Instant.MAX).deadlineNanos(7, submitted));
    }

    @Test
    void shouldNameDurationsInTheirLargestUnit()
    {
        assertEquals(List.of("0 ns", "999 ns", "1 us", "1.000001 ms", "20 ms", "10 s", "3600 s", "9223372036.854775807 s"),
            LongStream.of(0, 999, 1000, 1_000_001, 20_000_000, 10_000_000_000L, 3_600_000_000_000L, Long.MAX_VALUE)
                .mapToObj(Nanos::text).toList());
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
