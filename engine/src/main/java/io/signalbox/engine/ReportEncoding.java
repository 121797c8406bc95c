// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.StepTokens;
import io.signalbox.engine.step.LaunchedSteps;
import io.signalbox.engine.step.ReportBytes;
import io.signalbox.event.InputWriter;
import io.signalbox.event.RowsChecksum;
import io.signalbox.event.codec.D2hCompleteEncoder;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.RowForm;
import org.agrona.DirectBuffer;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;

/** Encodes one report of a backend at a time. Not thread-safe; a {@link Pool} lends it to one thread at a time. */
final class ReportEncoding
{
    private final InputWriter writer = new InputWriter();
    private final ReportBytes bytes = new ReportBytes();
    private boolean isInWriter;
    private final RowsChecksum checksum = new RowsChecksum();
    /** Null if capture is off. */
    private final CapturedRowCheck rowCheck;
    private CaptureSlice rowsBeside;

    ReportEncoding(final ReportCheck check)
    {
        rowCheck = check.capture() == null ? null : new CapturedRowCheck(check.capture(), check.impossibleRows());
    }

    void forward(final long timeNanos, final int epoch, final int rank, final long step, final long deviceTimeNanos)
    {
        isInWriter = false;
        bytes.forward(timeNanos, epoch, rank, step, deviceTimeNanos);
    }

    /** Holds the last report from byte 0. */
    DirectBuffer buffer()
    {
        return isInWriter ? writer.buffer() : bytes.buffer();
    }

    int length()
    {
        return isInWriter ? writer.length() : bytes.length();
    }

    /**
     * Encodes the completion of a step, whose tokens fit it; its rows are within the message if they are few, else
     * {@link #takeRowsBeside() beside} it.
     *
     * @return why the rows cannot be those of the step, or null.
     */
    String d2hComplete(
        final long timeNanos, final LaunchedSteps.Launch launch, final StepTokens tokens, final CaptureSlice captured)
    {
        rowsBeside = null;
        CaptureSlice rows = captured;
        long rowsChecksum = 0;
        if (rows != null)
        {
            rowsChecksum = checksumOf(rows);
            final String fault = rowCheck.fault(rows, rowsChecksum, launch, tokens);
            if (fault != null)
            {
                return "step " + tokens.step() + " of rank " + tokens.rank() + " " + fault;
            }
            rows = rowCheck.rows();
            rowsChecksum = rows == captured ? rowsChecksum : checksumOf(rows);
        }
        write(timeNanos, tokens, rows, rowsChecksum);
        return null;
    }

    private long checksumOf(final CaptureSlice rows)
    {
        return checksum.of(rows.buffer(), rows.offset(), rows.rowCount() * rows.rowBytes());
    }

    private void write(
        final long timeNanos, final StepTokens tokens, final CaptureSlice rows, final long rowsChecksum)
    {
        final int rowsLength = rows == null ? 0 : rows.rowCount() * rows.rowBytes();
        final boolean inline = rows != null && rowsLength <= InputWriter.MAX_INLINE_ROWS_BYTES;
        final RowForm form = rows == null ? RowForm.NONE : inline ? RowForm.INLINE : RowForm.CHUNKED;
        rowsBeside = inline ? null : rows;
        isInWriter = tokens.hasLogprobs() || rows != null && rowCheck.impossibleCount() > 0;
        if (!isInWriter)
        {
            bytes.d2hComplete(timeNanos, tokens, rows, rowsChecksum, form, inline ? rowsLength : 0);
            return;
        }
        final D2hCompleteEncoder message = writer.d2hComplete()
            .timeNanos(timeNanos)
            .step(tokens.step())
            .epoch(tokens.epoch())
            .rank(tokens.rank())
            .rowCount(rows == null ? 0 : rows.rowCount())
            .rowBytes(rows == null ? 0 : rows.rowBytes())
            .rowsChecksum(rowsChecksum)
            .computeNanos(Math.max(0, tokens.computeNanos()))
            .rowForm(form);
        writeTokens(message, tokens);
        final int impossible = rows == null ? 0 : rowCheck.impossibleCount();
        final D2hCompleteEncoder.ImpossibleRowsEncoder impossibleRows = message.impossibleRowsCount(impossible);
        for (int i = 0; i < impossible; i++)
        {
            impossibleRows.next().row(rowCheck.impossibleRow(i));
        }
        writeLogprobs(message, tokens);
        if (inline)
        {
            message.putRows(rows.buffer(), rows.offset(), rowsLength);
        }
        else
        {
            message.putRows(writer.buffer(), 0, 0);
        }
    }

    private static void writeTokens(final D2hCompleteEncoder message, final StepTokens tokens)
    {
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
    }

    private static void writeLogprobs(final D2hCompleteEncoder message, final StepTokens tokens)
    {
        final int count = tokens.hasLogprobs() ? tokens.tokenCount() : 0;
        final D2hCompleteEncoder.LogprobsEncoder logprobs = message.logprobsCount(count);
        for (int i = 0; i < count; i++)
        {
            // One NaN for all, so that equal results have equal bytes.
            logprobs.next().logprob(Float.intBitsToFloat(Float.floatToIntBits(tokens.logprob(i))));
        }
    }

    /** The rows that go beside the last completion: its own slice, a copy with rows marked as missing, or null for none. */
    CaptureSlice takeRowsBeside()
    {
        final CaptureSlice taken = rowsBeside;
        rowsBeside = null;
        return taken;
    }

    void fault(
        final long timeNanos,
        final int epoch,
        final int rank,
        final long step,
        final FaultClass faultClass,
        final String detail)
    {
        isInWriter = true;
        writer.backendFault()
            .timeNanos(timeNanos).step(step).epoch(epoch).rank(rank).faultClass(faultClass).detail(detail);
    }

    /**
     * One encoding for each rank. Only threads that report for the same rank at the same time, which no backend with a
     * thread per rank does, make further ones. A flag says whether it is taken: storing a reference twice per report would
     * cost barriers of the collector.
     */
    static final class Pool
    {
        private final ReportEncoding[] encodings;
        private final AtomicBoolean[] taken;
        private final ReportCheck check;

        Pool(final int ranks, final ReportCheck check)
        {
            this.check = check;
            encodings = new ReportEncoding[ranks];
            taken = new AtomicBoolean[ranks];
            Arrays.setAll(encodings, rank -> new ReportEncoding(check));
            Arrays.setAll(taken, rank -> new AtomicBoolean());
        }

        ReportEncoding take(final int rank)
        {
            return taken[rank].getAndSet(true) ? new ReportEncoding(check) : encodings[rank];
        }

        /** @param encoding null if none was taken. */
        void giveBack(final int rank, final ReportEncoding encoding)
        {
            if (encoding != null && encoding == encodings[rank])
            {
                taken[rank].setRelease(false);
            }
        }
    }
}
