// SPDX-License-Identifier: Apache-2.0
package io.signalbox.recompute;

import io.signalbox.backend.Backend;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.ForwardingBackend;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.experts.ModelShape;
import org.agrona.DirectBuffer;

/** A backend whose capture of one step fails: it reports the tokens of the step, and that no row is valid. */
final class RowlessStep extends ForwardingBackend
{
    private final long rowless;

    /** @param rowless the step. */
    RowlessStep(final Backend backend, final long rowless)
    {
        super(backend);
        this.rowless = rowless;
    }

    @Override
    public void start(final int ranks, final ModelShape shape, final CompletionSink completions)
    {
        super.start(ranks, shape, new CompletionSink()
        {
            @Override
            public void forward(
                final long timeNanos, final int epoch, final int rank, final long step, final long deviceTimeNanos)
            {
                completions.forward(timeNanos, epoch, rank, step, deviceTimeNanos);
            }

            @Override
            public void d2hComplete(
                final long timeNanos, final int epoch, final int rank, final long step, final StepTokens tokens,
                final CaptureSlice rows)
            {
                completions.d2hComplete(timeNanos, epoch, rank, step, tokens, step == rowless ? new Invalid(rows) : rows);
            }

            @Override
            public void fault(
                final long timeNanos, final int epoch, final int rank, final long step, final StepFault faultClass,
                final String detail)
            {
                completions.fault(timeNanos, epoch, rank, step, faultClass, detail);
            }
        });
    }

    private record Invalid(CaptureSlice rows) implements CaptureSlice
    {
        @Override
        public DirectBuffer buffer()
        {
            return rows.buffer();
        }

        @Override
        public int offset()
        {
            return rows.offset();
        }

        @Override
        public int rowCount()
        {
            return rows.rowCount();
        }

        @Override
        public int rowBytes()
        {
            return rows.rowBytes();
        }

        @Override
        public boolean declaresRows()
        {
            return true;
        }

        @Override
        public boolean isValid(final int row)
        {
            return false;
        }

        @Override
        public void release()
        {
            rows.release();
        }
    }
}
