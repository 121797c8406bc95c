// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.RequestContent;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;

/** One step of {@link HeldBackend}: computed when its plan came, reported when the test asks for it. */
final class HeldStep
{
    private final int epoch;
    private final int rank;
    private final long number;
    private final StepTokens results;
    private final HeldRows rows;
    private boolean launched;

    private HeldStep(final StepView plan, final StepTokens results, final HeldRows rows)
    {
        epoch = plan.epoch();
        rank = plan.rank();
        number = plan.step();
        this.results = results;
        this.rows = rows;
    }

    static HeldStep of(final StepView plan, final ContextModel model)
    {
        final ModelShape shape = model.shape();
        final StepTokens results = new StepTokens().begin(plan);
        final UnsafeBuffer ids = new UnsafeBuffer(new byte[shape == null ? 0 : plan.tokens() * shape.rowBytes()]);
        int row = 0;
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            final RequestContent request = plan.request(entry);
            final int start = plan.start(entry);
            long context = 0;
            for (int position = 0; position < start + plan.tokenCount(entry); position++)
            {
                // A token that the host does not know yet was sampled by a step in flight, from the same context.
                final int token =
                    position < request.knownTokens() ? request.token(position) : ContextModel.next(context);
                context = ContextModel.context(context, token);
                if (position >= start && shape != null)
                {
                    put(model.row(context), shape, ids, row);
                    putWeights(context, shape, ids, row++);
                }
            }
            results.entry(start);
            if (plan.samples(entry))
            {
                results.accept(ContextModel.next(context));
            }
        }
        return new HeldStep(plan, results, shape == null ? null : new HeldRows(ids, plan.tokens(), shape.rowBytes()));
    }

    private static void put(final short[] row, final ModelShape shape, final UnsafeBuffer ids, final int index)
    {
        for (int i = 0; i < row.length; i++)
        {
            final int at = index * shape.rowBytes() + i * shape.idBytes();
            ids.putByte(at, (byte)row[i]);
            if (shape.idBytes() > 1)
            {
                ids.putByte(at + 1, (byte)(row[i] >>> Byte.SIZE));
            }
        }
    }

    private static void putWeights(
        final long context, final ModelShape shape, final UnsafeBuffer rows, final int index)
    {
        final int start = index * shape.rowBytes() + shape.idsBytes();
        for (int i = 0; shape.combineWeights() && i < shape.rowIds(); i++)
        {
            rows.putFloat(start + i * Float.BYTES, ContextModel.combineWeight(context, i), ByteOrder.LITTLE_ENDIAN);
        }
    }

    boolean is(final long step)
    {
        return number == step;
    }

    boolean isLaunched()
    {
        return launched;
    }

    void launch(final CompletionSink sink)
    {
        launched = true;
        sink.forward(CompletionSink.NOW, epoch, rank, number, 0);
    }

    void complete(final CompletionSink sink)
    {
        sink.d2hComplete(CompletionSink.NOW, epoch, rank, number, results, rows);
    }

    void fail(final CompletionSink sink, final StepFault faultClass)
    {
        sink.fault(CompletionSink.NOW, epoch, rank, number, faultClass, "failed by the test");
    }
}
