// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.StateDigest;
import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.event.RequestContent;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
import java.util.NoSuchElementException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** A backend on one thread, whose token is a function of the whole context; sound but for one defect, or none. */
final class PlantedBackend implements Backend
{
    static final int VOCABULARY = 1000;
    /** Less than the longest requests of the contract would take of a backend without a limit. */
    static final int MAX_POSITIONS = 64;
    private static final long HOUR = 3_600_000_000_000L;
    private static int made;

    /** A step that was copied while its plan was valid. */
    private record Step(PlanCopy plan, StepTokens results, long[] contexts)
    {
    }

    private final BackendDefect defect;
    private final int number = ++made;
    private final CountDownLatch never = new CountDownLatch(1);
    private final UnsafeBuffer oneBuffer = new UnsafeBuffer(new byte[1 << 16]);
    private final ExecutorService device = Executors.newSingleThreadExecutor(work ->
    {
        final Thread thread = new Thread(work, "planted-device");
        thread.setDaemon(true);
        return thread;
    });
    private ModelShape shape;
    private CompletionSink sink;
    private boolean closed;
    private Step last;

    /** @param defect null: none. */
    PlantedBackend(final BackendDefect defect)
    {
        this.defect = defect;
        if (defect == BackendDefect.THROWS_WHEN_MADE)
        {
            throw new IllegalStateException("planted");
        }
    }

    @Override
    public BackendCapabilities capabilities()
    {
        return defect == BackendDefect.NO_CAPABILITIES ? null : BackendCapabilities.named("planted")
            .maxPositions(MAX_POSITIONS).readsTokens(true).capturesExperts(true)
            .capturesCombineWeights(defect == null || defect.test().startsWith("capturesCombineWeights"))
            .resetsRanks(defect == null)
            .masksStopTokens(defect == null || defect.test().startsWith("leavesOutStopTokens"))
            .depth(defect == BackendDefect.CHANGING_CAPABILITIES ? number : 1).build();
    }

    @Override
    public void start(final int ranks, final ModelShape captured, final CompletionSink completions)
    {
        if (defect == BackendDefect.HANGS_IN_START)
        {
            hang();
        }
        shape = captured;
        sink = completions;
    }

    private void hang()
    {
        try
        {
            never.await();
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void submit(final StepView plan)
    {
        if (defect == BackendDefect.THROWS_IN_SUBMIT)
        {
            throw new IllegalStateException("planted");
        }
        final Step step = computed(plan);
        last = step;
        if (defect == BackendDefect.WITHIN_SUBMIT)
        {
            report(step);
        }
        else if (defect == BackendDefect.WAITS_IN_SUBMIT)
        {
            awaitReport(step);
        }
        else if (defect != BackendDefect.NEVER)
        {
            device.execute(() -> report(step));
        }
    }

    private void awaitReport(final Step step)
    {
        device.execute(() -> report(step));
        awaitDevice();
    }

    /** Earlier steps of all ranks have run. */
    private void awaitDevice()
    {
        try
        {
            device.submit(() -> { }).get();
        }
        catch (final InterruptedException | ExecutionException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    private Step computed(final StepView plan)
    {
        final StepTokens results = new StepTokens().begin(plan);
        final long[] contexts = new long[plan.tokens()];
        int row = 0;
        final int entries = plan.entryCount() - (defect == BackendDefect.FEWER_ENTRIES ? 1 : 0);
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            final RequestContent request = plan.request(entry);
            long context = 0;
            for (int position = 0; position < plan.start(entry) + plan.tokenCount(entry); position++)
            {
                context = StateDigest.mix(context, request.token(position));
                if (position >= plan.start(entry))
                {
                    contexts[row++] = context;
                }
            }
            if (entry < entries)
            {
                results.entry(plan.start(entry) + (defect == BackendDefect.WRONG_START ? 1 : 0));
                accept(plan, entry, context, results);
            }
        }
        return new Step(PlanCopy.of(plan), results, contexts);
    }

    private void accept(final StepView plan, final int entry, final long context, final StepTokens results)
    {
        if (plan.samples(entry))
        {
            final long salt = defect == BackendDefect.OTHER_TOKENS_EACH_TIME ? number :
                defect == BackendDefect.TOKENS_OF_THE_BATCH ? plan.entryCount() : 0;
            results.accept(defect == BackendDefect.TOKEN_RANGE ? VOCABULARY : allowed(plan.request(entry),
                plan.start(entry) + plan.tokenCount(entry), (int)Math.floorMod(context + salt, (long)VOCABULARY)));
            if (defect == BackendDefect.TWO_TOKENS)
            {
                results.accept(0);
            }
        }
    }

    /** The token, or the next one that is not left out. */
    private int allowed(final RequestContent request, final int position, final int token)
    {
        final int asked = position + (defect == BackendDefect.MAY_STOP_TOO_EARLY ? 1 :
            defect == BackendDefect.MAY_STOP_TOO_LATE ? -1 : 0);
        final boolean leavesOut = request.isLeftOut(asked, token) ||
            defect == BackendDefect.LEAVES_OUT_OTHERS && !request.mayStopAt(position);
        return defect != BackendDefect.SAMPLES_STOP_TOKENS && leavesOut ? (token + 1) % VOCABULARY : token;
    }

    private void report(final Step step)
    {
        final PlanCopy plan = step.plan;
        final long number = plan.step() + (defect == BackendDefect.WRONG_STEP ? 1 : 0);
        final int rank = defect == BackendDefect.OTHER_RANK ? 1 - plan.rank() : plan.rank();
        try
        {
            if (defect != BackendDefect.WITHOUT_LAUNCH)
            {
                sink.forward(CompletionSink.NOW, plan.epoch(), plan.rank(), plan.step(), 0);
            }
            if (defect == BackendDefect.FAULT)
            {
                sink.fault(CompletionSink.NOW, plan.epoch(), plan.rank(), plan.step(), StepFault.STEP_FAILED, "planted");
                return;
            }
            final long time = defect == BackendDefect.ANOTHER_CLOCK ? System.nanoTime() - HOUR : CompletionSink.NOW;
            sink.d2hComplete(time, plan.epoch(), rank, number,
                defect == BackendDefect.NO_TOKENS ? null : step.results, rows(step));
            if (defect == BackendDefect.TWICE)
            {
                sink.d2hComplete(CompletionSink.NOW, plan.epoch(), rank, number, step.results, rows(step));
            }
        }
        catch (final IllegalStateException e)
        {
            // The engine closes.
        }
    }

    private CaptureSlice rows(final Step step)
    {
        if (defect == BackendDefect.NO_ROWS || shape == null && defect != BackendDefect.ROWS_WITHOUT_CAPTURE)
        {
            return null;
        }
        final ModelShape wanted = shape == null ? new ModelShape(3, 16, 2) : shape;
        final ModelShape captured = wanted.withCombineWeights(defect == BackendDefect.WEIGHTS_UNASKED ||
            defect != BackendDefect.NO_WEIGHTS && wanted.combineWeights());
        final int count = step.plan.tokens() - (defect == BackendDefect.FEWER_ROWS ? 1 : 0);
        final UnsafeBuffer buffer = defect == BackendDefect.ONE_BUFFER ? oneBuffer :
            new UnsafeBuffer(new byte[step.plan.tokens() * captured.rowBytes()]);
        for (int i = 0; i < step.plan.tokens() * captured.rowIds(); i++)
        {
            final int layer = i % captured.rowIds() / captured.topK();
            final long first = StateDigest.mix(step.contexts[i / captured.rowIds()], layer);
            final int k = defect == BackendDefect.REPEATED_EXPERT ? 0 : i % captured.topK();
            final int range = captured.experts() + (defect == BackendDefect.EXPERT_RANGE ? 1 : 0);
            final int row = i / captured.rowIds() * captured.rowBytes();
            buffer.putByte(row + i % captured.rowIds(), (byte)Math.floorMod(first + k, (long)range));
            putWeight(captured, buffer, row, i % captured.rowIds(), first);
        }
        return new Slice(buffer, count, captured.rowBytes(),
            defect == BackendDefect.WRONG_CHECKSUM ? 77 : CaptureSlice.NO_CHECKSUM);
    }

    private void putWeight(
        final ModelShape captured, final UnsafeBuffer rows, final int row, final int place, final long content)
    {
        if (captured.combineWeights())
        {
            final boolean isBad = defect == BackendDefect.WEIGHT_NOT_FINITE && place == captured.rowIds() - 1;
            rows.putFloat(row + captured.idsBytes() + place * Float.BYTES,
                isBad ? Float.NaN : ContextModel.combineWeight(content, place), ByteOrder.LITTLE_ENDIAN);
        }
    }

    /** Rows on the heap. */
    private record Slice(DirectBuffer buffer, int rowCount, int rowBytes, long checksum) implements CaptureSlice
    {
        @Override
        public int offset()
        {
            return 0;
        }

        @Override
        public void release()
        {
            // The collector has the array.
        }
    }

    @Override
    public void abort(final int rank, final long step)
    {
        if (defect == BackendDefect.ABORT_THROWS)
        {
            throw new NoSuchElementException("step " + step);
        }
    }

    @Override
    public void newWeights(final int generation, final String version)
    {
        if (defect != BackendDefect.SILENT_WEIGHTS)
        {
            Backend.super.newWeights(generation, version);
        }
    }

    @Override
    public boolean reset(final int rank)
    {
        if (defect == BackendDefect.NAMELESS_REFUSAL)
        {
            throw new UnsupportedOperationException("no");
        }
        if (defect == null)
        {
            awaitDevice();
            return false;
        }
        return defect == BackendDefect.SILENT_RESET || Backend.super.reset(rank);
    }

    @Override
    public void close()
    {
        if (defect == BackendDefect.HANGS_IN_CLOSE)
        {
            hang();
        }
        if (closed && defect == BackendDefect.SECOND_CLOSE_THROWS)
        {
            throw new IllegalStateException("closed already");
        }
        if (!closed && defect == BackendDefect.LATE_AFTER_CLOSE && last != null)
        {
            reportAfterwards(last);
        }
        closed = true;
        device.shutdownNow();
        try
        {
            device.awaitTermination(1, TimeUnit.MINUTES);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    /** From a thread that the closing thread lets run when it has returned from here. */
    private void reportAfterwards(final Step step)
    {
        final Thread closing = Thread.currentThread();
        final Thread late = new Thread(() ->
        {
            while (isWithinClose(closing))
            {
                Thread.onSpinWait();
            }
            report(step);
        }, "planted-late");
        late.setDaemon(true);
        late.start();
    }

    private static boolean isWithinClose(final Thread closing)
    {
        for (final StackTraceElement frame : closing.getStackTrace())
        {
            if (frame.getClassName().equals(WatchedBackend.class.getName()))
            {
                return true;
            }
        }
        return false;
    }
}
