// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.StepTokens;
import io.signalbox.engine.step.LaunchedSteps;
import io.signalbox.event.InputWriter;
import io.signalbox.event.ReportWriter;
import io.signalbox.event.ReportedStep;
import io.signalbox.event.RowsChecksum;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.RowForm;
import org.agrona.DirectBuffer;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;

/** Encodes one report of a backend at a time. Not thread-safe; a {@link Pool} lends it to one thread at a time. */
final class ReportEncoding implements ReportedStep
{
    private final InputWriter faults = new InputWriter();
    private final ReportWriter reports = new ReportWriter();
    private boolean isFault;
    private StepTokens tokens;
    /** The rows of the last completion; {@code null} if capture is off. */
    private CaptureSlice rows;
    private RowForm rowForm = RowForm.NONE;
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
        isFault = false;
        reports.forward(timeNanos, epoch, rank, step, deviceTimeNanos);
    }

    /** Holds the last report from byte 0. */
    DirectBuffer buffer()
    {
        return isFault ? faults.buffer() : reports.buffer();
    }

    int length()
    {
        return isFault ? faults.length() : reports.length();
    }

    /**
     * Encodes the completion of a step, whose tokens fit it; its rows are within the message if they are few, else
     * {@link #takeRowsBeside() beside} it.
     *
     * @return why the rows cannot be those of the step, or null.
     */
    String d2hComplete(
        final long timeNanos, final LaunchedSteps.Launch launch, final StepTokens results, final CaptureSlice captured)
    {
        rowsBeside = null;
        CaptureSlice checked = captured;
        long rowsChecksum = 0;
        if (captured != null)
        {
            rowsChecksum = checksumOf(captured);
            final String fault = rowCheck.fault(captured, rowsChecksum, launch, results);
            if (fault != null)
            {
                return "step " + results.step() + " of rank " + results.rank() + " " + fault;
            }
            checked = rowCheck.rows();
            rowsChecksum = checked == captured ? rowsChecksum : checksumOf(checked);
        }
        write(timeNanos, results, checked, rowsChecksum);
        return null;
    }

    private long checksumOf(final CaptureSlice slice)
    {
        return checksum.of(slice.buffer(), slice.offset(), slice.rowCount() * slice.rowBytes());
    }

    private void write(
        final long timeNanos, final StepTokens results, final CaptureSlice checked, final long rowsChecksum)
    {
        // Mostly they are the objects of the report before, and storing a reference costs a barrier of the collector.
        if (tokens != results)
        {
            tokens = results;
        }
        if (rows != checked)
        {
            rows = checked;
        }
        final boolean inline =
            checked != null && checked.rowCount() * checked.rowBytes() <= InputWriter.MAX_INLINE_ROWS_BYTES;
        rowForm = checked == null ? RowForm.NONE : inline ? RowForm.INLINE : RowForm.CHUNKED;
        rowsBeside = inline ? null : checked;
        isFault = false;
        reports.d2hComplete(timeNanos, this, rowsChecksum);
    }

    @Override
    public long step()
    {
        return tokens.step();
    }

    @Override
    public int epoch()
    {
        return tokens.epoch();
    }

    @Override
    public int rank()
    {
        return tokens.rank();
    }

    @Override
    public long computeNanos()
    {
        return Math.max(0, tokens.computeNanos());
    }

    @Override
    public int entryCount()
    {
        return tokens.entryCount();
    }

    @Override
    public int start(final int entry)
    {
        return tokens.start(entry);
    }

    @Override
    public int accepted(final int entry)
    {
        return tokens.accepted(entry);
    }

    @Override
    public int tokenCount()
    {
        return tokens.tokenCount();
    }

    @Override
    public int token(final int index)
    {
        return tokens.token(index);
    }

    @Override
    public boolean hasLogprobs()
    {
        return tokens.hasLogprobs();
    }

    @Override
    public float logprob(final int token)
    {
        return tokens.logprob(token);
    }

    @Override
    public int impossibleCount()
    {
        return rows == null ? 0 : rowCheck.impossibleCount();
    }

    @Override
    public int impossibleRow(final int index)
    {
        return rowCheck.impossibleRow(index);
    }

    @Override
    public RowForm rowForm()
    {
        return rowForm;
    }

    @Override
    public int rowCount()
    {
        return rows == null ? 0 : rows.rowCount();
    }

    @Override
    public int rowBytes()
    {
        return rows == null ? 0 : rows.rowBytes();
    }

    @Override
    public DirectBuffer rows()
    {
        return rows.buffer();
    }

    @Override
    public int rowsOffset()
    {
        return rows.offset();
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
        isFault = true;
        faults.backendFault()
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
