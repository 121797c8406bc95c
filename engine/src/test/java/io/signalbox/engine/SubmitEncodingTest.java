// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.kv.hash.BlockHashFunction;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

class SubmitEncodingTest
{
    private static long[] hashes(final BlockHashFunction function, final int promptTokens)
    {
        final SubmitEncoding encoding = new SubmitEncoding(
            SchedulerConfig.builder().blockSizeTokens(32).blockHash(function).build());
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
}
