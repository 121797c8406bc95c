// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.D2hCompleteEncoder;
import io.signalbox.event.codec.RowForm;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

/** The reports that are written as words have the bytes that the generated encoders give them. */
class ReportWriterTest
{
    private static final int REPORTS = 500;
    private static final int ROWS = 3;
    private static final int ROW_BYTES = 32;

    private final Random random = new Random(11);
    private final ReportWriter reports = new ReportWriter();
    private final InputWriter writer = new InputWriter();

    private static byte[] copy(final DirectBuffer buffer, final int length)
    {
        final byte[] bytes = new byte[length];
        buffer.getBytes(0, bytes);
        return bytes;
    }

    private void assertSameBytes()
    {
        assertArrayEquals(copy(writer.buffer(), writer.length()), copy(reports.buffer(), reports.length()));
    }

    @Test
    void shouldWriteForwardAsTheEncoderDoes()
    {
        for (int i = 0; i < REPORTS; i++)
        {
            final long time = random.nextLong();
            final long step = random.nextLong();
            final long device = random.nextLong();
            final int epoch = random.nextInt();
            final int rank = random.nextInt();
            reports.forward(time, epoch, rank, step, device);
            writer.forward().timeNanos(time).step(step).deviceTimeNanos(device).epoch(epoch).rank(rank);
            assertSameBytes();
        }
    }

    @Test
    void shouldWriteCompletionsAsTheEncoderDoes()
    {
        for (int i = 0; i < REPORTS; i++)
        {
            final Results results = new Results(random, i);
            final long time = random.nextLong();
            final long checksum = random.nextInt() & 0xFFFF_FFFFL;
            reports.d2hComplete(time, results, checksum);
            encode(time, results, checksum);
            assertSameBytes();
        }
    }

    private void encode(final long time, final Results results, final long checksum)
    {
        final D2hCompleteEncoder message = writer.d2hComplete().timeNanos(time).step(results.step).epoch(results.epoch)
            .rank(results.rank).rowCount(results.rowCount()).rowBytes(results.rowBytes()).rowsChecksum(checksum)
            .computeNanos(results.computeNanos).rowForm(results.form);
        final D2hCompleteEncoder.EntriesEncoder entries = message.entriesCount(results.starts.length);
        for (int i = 0; i < results.starts.length; i++)
        {
            entries.next().start(results.starts[i]).accepted((short)results.accepted[i]);
        }
        final D2hCompleteEncoder.TokensEncoder accepted = message.tokensCount(results.tokens.length);
        for (final int token : results.tokens)
        {
            accepted.next().tokenId(token);
        }
        final D2hCompleteEncoder.ImpossibleRowsEncoder impossible = message.impossibleRowsCount(results.impossible);
        for (int i = 0; i < results.impossible; i++)
        {
            impossible.next().row(i);
        }
        final D2hCompleteEncoder.LogprobsEncoder logprobs =
            message.logprobsCount(results.hasLogprobs ? results.tokens.length : 0);
        for (int i = 0; results.hasLogprobs && i < results.tokens.length; i++)
        {
            logprobs.next().logprob(-i);
        }
        message.putRows(results.memory, 0, results.form == RowForm.INLINE ? ROWS * ROW_BYTES : 0);
    }

    /** Random results; a third of them has log-probabilities, a third impossible rows, or both. */
    private static final class Results implements ReportedStep
    {
        private final long step;
        private final int epoch;
        private final int rank;
        private final long computeNanos;
        private final int[] starts;
        private final int[] accepted;
        private final int[] tokens;
        private final boolean hasLogprobs;
        private final RowForm form;
        private final int impossible;
        private final UnsafeBuffer memory = new UnsafeBuffer(new byte[ROWS * ROW_BYTES]);

        Results(final Random random, final int most)
        {
            step = random.nextLong();
            epoch = random.nextInt();
            rank = random.nextInt();
            computeNanos = random.nextLong() >>> 1;
            starts = random.ints(random.nextInt(most + 1)).toArray();
            accepted = random.ints(starts.length, 0, 4).toArray();
            tokens = random.ints(random.nextInt(most + 1)).toArray();
            hasLogprobs = random.nextInt(3) == 0;
            form = RowForm.values()[random.nextInt(3)];
            impossible = form != RowForm.NONE && random.nextInt(3) == 0 ? 1 + random.nextInt(ROWS) : 0;
            random.nextBytes(memory.byteArray());
        }

        @Override
        public long step()
        {
            return step;
        }

        @Override
        public int epoch()
        {
            return epoch;
        }

        @Override
        public int rank()
        {
            return rank;
        }

        @Override
        public long computeNanos()
        {
            return computeNanos;
        }

        @Override
        public int entryCount()
        {
            return starts.length;
        }

        @Override
        public int start(final int entry)
        {
            return starts[entry];
        }

        @Override
        public int accepted(final int entry)
        {
            return accepted[entry];
        }

        @Override
        public int tokenCount()
        {
            return tokens.length;
        }

        @Override
        public int token(final int index)
        {
            return tokens[index];
        }

        @Override
        public boolean hasLogprobs()
        {
            return hasLogprobs;
        }

        @Override
        public float logprob(final int token)
        {
            return -token;
        }

        @Override
        public int impossibleCount()
        {
            return impossible;
        }

        @Override
        public int impossibleRow(final int index)
        {
            return index;
        }

        @Override
        public RowForm rowForm()
        {
            return form;
        }

        @Override
        public int rowCount()
        {
            return form == RowForm.NONE ? 0 : ROWS;
        }

        @Override
        public int rowBytes()
        {
            return form == RowForm.NONE ? 0 : ROW_BYTES;
        }

        @Override
        public DirectBuffer rows()
        {
            return memory;
        }

        @Override
        public int rowsOffset()
        {
            return 0;
        }
    }
}
