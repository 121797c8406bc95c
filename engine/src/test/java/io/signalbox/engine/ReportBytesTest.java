// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.StepTokens;
import io.signalbox.engine.step.ReportBytes;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.D2hCompleteEncoder;
import io.signalbox.event.codec.RowForm;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

/** The reports that are written as words have the bytes that the generated encoders give them. */
class ReportBytesTest
{
    private static final int REPORTS = 500;

    private final Random random = new Random(11);
    private final ReportBytes reports = new ReportBytes();
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
            final StepTokens tokens = new StepTokens().begin(random.nextInt(), random.nextInt(), random.nextLong());
            for (int entry = random.nextInt(i + 1); entry > 0; entry--)
            {
                tokens.entry(random.nextInt());
                for (int left = random.nextInt(4); left > 0; left--)
                {
                    tokens.accept(random.nextInt());
                }
            }
            tokens.computed(random.nextLong());
            complete(random.nextLong(), tokens, RowForm.values()[random.nextInt(3)], random.nextInt());
            assertSameBytes();
        }
    }

    private void complete(final long time, final StepTokens tokens, final RowForm form, final int checksum)
    {
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[96]);
        random.nextBytes(memory.byteArray());
        final CaptureSlice rows = form == RowForm.NONE ? null : new HeapSlice(memory, 3, 32);
        final int inline = form == RowForm.INLINE ? 96 : 0;
        reports.d2hComplete(time, tokens, rows, checksum & 0xFFFF_FFFFL, form, inline);
        final D2hCompleteEncoder message = writer.d2hComplete().timeNanos(time).step(tokens.step()).epoch(tokens.epoch())
            .rank(tokens.rank()).rowCount(rows == null ? 0 : 3).rowBytes(rows == null ? 0 : 32)
            .rowsChecksum(checksum & 0xFFFF_FFFFL).computeNanos(Math.max(0, tokens.computeNanos())).rowForm(form);
        final D2hCompleteEncoder.EntriesEncoder entries = message.entriesCount(tokens.entryCount());
        for (int i = 0; i < tokens.entryCount(); i++)
        {
            entries.next().start(tokens.start(i)).accepted((short)tokens.accepted(i));
        }
        final D2hCompleteEncoder.TokensEncoder accepted = message.tokensCount(tokens.tokenCount());
        for (int i = 0; i < tokens.tokenCount(); i++)
        {
            accepted.next().tokenId(tokens.token(i));
        }
        message.impossibleRowsCount(0);
        message.logprobsCount(0);
        message.putRows(memory, 0, inline);
    }
}
