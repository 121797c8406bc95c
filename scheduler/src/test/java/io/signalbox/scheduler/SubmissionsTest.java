// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.Request;
import io.signalbox.event.EventReader;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.kv.hash.BlockHashFunction;
import io.signalbox.state.RunFold;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Numbers of hashes, tokens and chain bytes that a Submit may have: 40 prompt tokens in blocks of 16. */
class SubmissionsTest
{
    private static final int PROMPT = 40;

    /** The answer to a Submit. */
    private static final class Answer extends EventReader
    {
        private RefusalReason refusal;
        private boolean accepted;

        @Override
        protected void onAccepted(final AcceptedDecoder message)
        {
            accepted = true;
        }

        @Override
        protected void onRefused(final RefusedDecoder message)
        {
            refusal = message.reason();
        }
    }

    private static String answer(
        final BlockHashFunction function, final int hashes, final int tokenBytes, final int chainBytes)
    {
        return answer(function, hashes, tokenBytes, chainBytes, new byte[0]);
    }

    private static String answer(
        final BlockHashFunction function, final int hashes, final int tokenBytes, final int chainBytes,
        final byte[] stopTokens)
    {
        final Scheduler scheduler = new Scheduler(SchedulerConfig.builder().ranks(1).blockHash(function).build());
        final byte[] bytes = new byte[PROMPT * Long.BYTES];
        final ByteBuffer longs = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        while (longs.hasRemaining())
        {
            longs.putLong(1 + longs.position());
        }
        final InputWriter writer = new InputWriter();
        writer.submit().timeNanos(1).requestId(1).conversationId(-1).predecessorId(-1).thinkTimeNanos(0).deadlineNanos(-1)
            .samplingSeed(0).promptTokens(PROMPT).maxNewTokens(4).rowsFrom(-1).priority(0).rankHint(-1)
            .temperature(1f).topP(1f).rankHintRelaxed(Flag.NO).putBlockHashes(bytes, 0, hashes * Long.BYTES)
            .putCacheKey(bytes, 0, 3).putTokens(bytes, 0, tokenBytes).putHashChain(bytes, 0, chainBytes)
            .putStopTokens(stopTokens, 0, stopTokens.length);
        final GroupWriter group = new GroupWriter(1024);
        scheduler.apply(writer.buffer(), 0, writer.length(), null, 0, group);
        final Answer answer = new Answer();
        answer.readGroup(group.buffer(), 0, group.length());
        return answer.accepted ? "ACCEPTED" : answer.refusal.name();
    }

    @ParameterizedTest
    @CsvSource({
        "SHA_256, 2, 0, 0, ACCEPTED", "SHA_256, 0, 0, 0, ACCEPTED", "SHA_256, 1, 0, 0, HASH_COUNT",
        "SHA_256, 2, 160, 0, ACCEPTED", "SHA_256, 2, 32, 0, ACCEPTED", "SHA_256, 0, 160, 0, ACCEPTED",
        "SHA_256, 2, 160, 32, ACCEPTED", "SHA_256, 2, 32, 32, ACCEPTED",
        "XXH3_128, 2, 160, 16, ACCEPTED", "XXH3_128, 2, 32, 16, ACCEPTED"})
    void shouldAcceptNoTokensTheTailOrThemAll(
        final BlockHashFunction function,
        final int hashes,
        final int tokenBytes,
        final int chainBytes,
        final String expected)
    {
        assertEquals(expected, answer(function, hashes, tokenBytes, chainBytes));
    }

    @ParameterizedTest
    @CsvSource({
        "SHA_256, 2, 4, 0", "SHA_256, 2, 28, 0", "SHA_256, 2, 36, 0", "SHA_256, 2, 156, 0", "SHA_256, 2, 164, 0",
        "SHA_256, 2, 33, 0", "SHA_256, 2, 161, 0", "SHA_256, 2, 0, 32", "SHA_256, 0, 160, 32", "SHA_256, 0, 32, 32",
        "SHA_256, 2, 160, 16", "SHA_256, 2, 160, 31", "SHA_256, 2, 160, 33", "SHA_256, 2, 160, 1",
        "XXH3_128, 2, 160, 32", "XXH3_128, 2, 0, 16"})
    void shouldRefuseAnyOtherNumber(
        final BlockHashFunction function, final int hashes, final int tokenBytes, final int chainBytes)
    {
        assertEquals("MALFORMED", answer(function, hashes, tokenBytes, chainBytes));
    }

    private static String answer(final int... stopTokens)
    {
        final ByteBuffer bytes = ByteBuffer.allocate(stopTokens.length * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        Arrays.stream(stopTokens).forEach(bytes::putInt);
        return answer(BlockHashFunction.SHA_256, 2, 160, 32, bytes.array());
    }

    @Test
    void shouldAcceptUpTo64AscendingStopTokensAndNoOtherList()
    {
        assertEquals("ACCEPTED", answer(0));
        assertEquals("ACCEPTED", answer(9, 53, Integer.MAX_VALUE));
        assertEquals("ACCEPTED", answer(IntStream.range(0, Request.MAX_STOP_TOKENS).toArray()));
        assertEquals("MALFORMED", answer(IntStream.rangeClosed(0, Request.MAX_STOP_TOKENS).toArray()));
        assertEquals("MALFORMED", answer(-1));
        assertEquals("MALFORMED", answer(53, 9));
        assertEquals("MALFORMED", answer(9, 9));
        assertEquals("MALFORMED", answer(BlockHashFunction.SHA_256, 2, 160, 32, new byte[6]));
    }

    /** The fold uses the object of an ended request for the next one: a refused request must not be taken for a live one. */
    @Test
    void shouldNotFoldTokensIntoARefusedRequestWithTheSameId()
    {
        final SchedulerHarness run = new SchedulerHarness(SchedulerConfig.builder().ranks(1).build());
        run.submit(1, 1, 0, 16, 1);
        run.submit(2, 2, 0, 16, 3);
        run.wake();
        run.complete(0);
        assertEquals(1, run.ended.size(), "request 1 had the first entry, and request 2 has it now");
        run.submit(2, 2, 0, 16, 3);
        assertEquals(List.of(2L), run.refused);
        run.complete(0);
        final RunFold fold = RunFold.of();
        run.groups.forEach(group -> fold.onGroup(new UnsafeBuffer(group), 0, group.length));
        assertEquals(2, fold.live().get(0).tokens());
    }
}
