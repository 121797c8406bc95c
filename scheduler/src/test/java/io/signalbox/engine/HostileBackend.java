// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.StateDigest;
import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.experts.ModelShape;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Reports what no sound backend reports, from several threads, and remembers which rows it computed for which token of
 * which request. Rows of false reports name experts of the upper half only, so that a stored one is found.
 */
final class HostileBackend implements Backend
{
    /** Reaction of the backend to a plan, beside or instead of a sound report. */
    enum Act
    {
        SOUND, SOUND_TWICE, SOUND_AT_ONCE, SOUND_WITH_MISSING_ROWS, FORWARD_AFTERWARDS, FORMER_STEP, OTHER_EPOCH,
        UNKNOWN_RANK, FEWER_TOKENS, NEGATIVE_TOKEN, FEWER_ROWS, OTHER_ROW_WIDTH, NO_ROWS, IMPOSSIBLE_ROWS, THROWING_SLICE,
        FAULT, FAULT_AND_RESULT, NO_ANSWER
    }

    /** One entry of a plan. */
    record Entry(long requestId, int start, int count)
    {
    }

    /** One plan. */
    record Plan(int epoch, int rank, long step, int tokens, List<Entry> entries)
    {
    }

    private static final int MAX_DELAY_MICROS = 2_000;

    private final Map<List<Long>, List<byte[]>> computed = new ConcurrentHashMap<>();
    private final long seed;
    private final Act only;
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(3, work ->
    {
        final Thread thread = new Thread(work, "hostile-backend");
        thread.setDaemon(true);
        return thread;
    });
    private ModelShape shape;
    private CompletionSink sink;

    /** @param only the one act beside sound reports, or null for all acts. */
    HostileBackend(final long seed, final Act only)
    {
        this.seed = seed;
        this.only = only;
    }

    @Override
    public BackendCapabilities capabilities()
    {
        return new BackendCapabilities("hostile", true, false);
    }

    @Override
    public void start(final int ranks, final ModelShape captureShape, final CompletionSink completions)
    {
        shape = captureShape;
        sink = completions;
    }

    @Override
    public void submit(final StepView schedule)
    {
        final List<Entry> entries = new ArrayList<>();
        final int rank = schedule.rank();
        final int epoch = schedule.epoch();
        final long step = schedule.step();
        final int tokens = schedule.tokens();
        for (int i = 0; i < schedule.entryCount(); i++)
        {
            entries.add(new Entry(schedule.requestId(i), schedule.start(i), schedule.tokenCount(i)));
        }
        final Plan plan = new Plan(epoch, rank, step, tokens, entries);
        final SplittableRandom random = new SplittableRandom(StateDigest.mix(seed, step, rank * 31L + epoch));
        final Act act = random.nextInt(3) == 0 ? Act.SOUND : only != null ? only :
            Act.values()[random.nextInt(Act.values().length)];
        later(random, () -> report(plan, act, random));
    }

    private void later(final SplittableRandom random, final Runnable report)
    {
        threads.schedule(() ->
        {
            try
            {
                report.run();
            }
            catch (final IllegalStateException | IllegalArgumentException e)
            {
                // The engine closes, or refuses the report by name.
                assertNamed(e);
            }
        }, random.nextInt(MAX_DELAY_MICROS), TimeUnit.MICROSECONDS);
    }

    private static void assertNamed(final RuntimeException refusal)
    {
        if (refusal.getMessage() == null)
        {
            throw new AssertionError("a refusal without a sentence", refusal);
        }
    }

    private void report(final Plan plan, final Act act, final SplittableRandom random)
    {
        if (random.nextBoolean())
        {
            sink.forward(1, plan.epoch, plan.rank, plan.step, 1);
        }
        final int entries = plan.entries.size();
        switch (act)
        {
            case SOUND -> sound(plan, 0);
            case SOUND_TWICE ->
            {
                sound(plan, 0);
                complete(plan, plan.step, new int[entries], falseRows(plan.tokens, shape.rowBytes()));
            }
            case SOUND_AT_ONCE ->
            {
                later(random, () -> sound(plan, 1));
                later(random, () -> sound(plan, 2));
            }
            case SOUND_WITH_MISSING_ROWS -> complete(plan, plan.step, new int[entries], soundRows(plan, 0, 3));
            case FORWARD_AFTERWARDS ->
            {
                sound(plan, 0);
                sink.forward(1, plan.epoch, plan.rank, plan.step, 1);
            }
            case FORMER_STEP ->
            {
                complete(plan, plan.step - 1, new int[entries], falseRows(plan.tokens, shape.rowBytes()));
                sound(plan, 0);
            }
            case OTHER_EPOCH ->
            {
                sink.d2hComplete(1, plan.epoch - 1, plan.rank, plan.step, new int[entries], entries,
                    falseRows(plan.tokens, shape.rowBytes()));
                sound(plan, 0);
            }
            case UNKNOWN_RANK ->
            {
                later(random, () -> sink.d2hComplete(1, plan.epoch, 77, plan.step, new int[entries], entries,
                    falseRows(plan.tokens, shape.rowBytes())));
                sound(plan, 0);
            }
            default -> reportFalsely(plan, act, random);
        }
    }

    /** The acts without a sound report. */
    private void reportFalsely(final Plan plan, final Act act, final SplittableRandom random)
    {
        final int entries = plan.entries.size();
        switch (act)
        {
            case FEWER_TOKENS -> complete(plan, plan.step, new int[entries - 1], falseRows(plan.tokens, shape.rowBytes()));
            case NEGATIVE_TOKEN ->
            {
                final int[] tokens = new int[entries];
                Arrays.fill(tokens, -7);
                complete(plan, plan.step, tokens, falseRows(plan.tokens, shape.rowBytes()));
            }
            case FEWER_ROWS ->
                complete(plan, plan.step, new int[entries], falseRows(plan.tokens - 1, shape.rowBytes()));
            case OTHER_ROW_WIDTH ->
                complete(plan, plan.step, new int[entries], falseRows(plan.tokens, 2 * shape.rowBytes()));
            case NO_ROWS -> complete(plan, plan.step, new int[entries], null);
            case IMPOSSIBLE_ROWS -> complete(plan, plan.step, new int[entries], impossibleRows(plan));
            case THROWING_SLICE -> complete(plan, plan.step, new int[entries],
                new ThrowingSlice(falseRows(plan.tokens, shape.rowBytes()), 1 + random.nextInt(12)));
            case FAULT -> fault(plan);
            case FAULT_AND_RESULT ->
            {
                fault(plan);
                complete(plan, plan.step, new int[entries], falseRows(plan.tokens, shape.rowBytes()));
            }
            case NO_ANSWER ->
            {
            }
            default -> throw new AssertionError(act);
        }
    }

    private void fault(final Plan plan)
    {
        sink.fault(1, plan.epoch, plan.rank, plan.step, FaultClass.STEP_FAILED, null);
    }

    private void sound(final Plan plan, final int variant)
    {
        complete(plan, plan.step, new int[plan.entries.size()], soundRows(plan, variant, Integer.MAX_VALUE));
    }

    private void complete(final Plan plan, final long step, final int[] sampled, final CaptureSlice rows)
    {
        sink.d2hComplete(1, plan.epoch, plan.rank, step, sampled, sampled.length, rows);
    }

    /** Rows of the lower half, a function of step, token and variant; every {@code missingEvery}-th is marked as missing. */
    private HeapSlice soundRows(final Plan plan, final int variant, final int missingEvery)
    {
        final byte[] rows = new byte[plan.tokens * shape.rowBytes()];
        int token = 0;
        for (final Entry entry : plan.entries)
        {
            for (int i = 0; i < entry.count; i++, token++)
            {
                final byte[] row = new byte[shape.rowBytes()];
                if (token % missingEvery == missingEvery - 1)
                {
                    Arrays.fill(row, (byte)-1);
                }
                else
                {
                    fillRow(row, StateDigest.mix(plan.step, plan.rank * 7L + variant, token), 0);
                }
                remember(entry.requestId, entry.start + i, row);
                System.arraycopy(row, 0, rows, token * row.length, row.length);
            }
        }
        return new HeapSlice(new UnsafeBuffer(rows), plan.tokens, shape.rowBytes());
    }

    private void fillRow(final byte[] row, final long content, final int lowest)
    {
        final int half = shape.experts() / 2;
        for (int i = 0; i < row.length; i++)
        {
            row[i] = (byte)(lowest + Math.floorMod((content >> (i / shape.topK()) % 48) + i % shape.topK(), half));
        }
    }

    private HeapSlice falseRows(final int count, final int rowBytes)
    {
        final byte[] rows = new byte[Math.max(0, count) * rowBytes];
        fillRow(rows, seed & 0xFFFF, shape.experts() / 2);
        return new HeapSlice(new UnsafeBuffer(rows), Math.max(0, count), rowBytes);
    }

    /** Rows that name their first expert twice; the engine must count them as missing. */
    private HeapSlice impossibleRows(final Plan plan)
    {
        final HeapSlice slice = falseRows(plan.tokens, shape.rowBytes());
        final byte[] rows = ((UnsafeBuffer)slice.buffer()).byteArray();
        for (int token = 0; token < plan.tokens; token++)
        {
            rows[token * shape.rowBytes() + 1] = rows[token * shape.rowBytes()];
        }
        final byte[] missing = new byte[shape.rowBytes()];
        Arrays.fill(missing, (byte)-1);
        for (final Entry entry : plan.entries)
        {
            for (int i = 0; i < entry.count; i++)
            {
                remember(entry.requestId, entry.start + i, missing);
            }
        }
        return slice;
    }

    void remember(final long requestId, final int position, final byte[] row)
    {
        computed.compute(List.of(requestId, (long)position), (at, rows) ->
        {
            final List<byte[]> all = rows == null ? new ArrayList<>() : new ArrayList<>(rows);
            all.add(row);
            return all;
        });
    }

    /** Whether a row, all ones if missing, was ever reported in good faith for this token of the request. */
    boolean computed(final long requestId, final int position, final byte[] row)
    {
        return computed.getOrDefault(List.of(requestId, (long)position), List.of()).stream()
            .anyMatch(each -> Arrays.equals(each, row));
    }

    @Override
    public void abort(final int rank, final long step)
    {
    }

    @Override
    public void close()
    {
        threads.shutdownNow();
    }

    /** A slice that throws at its n-th call. */
    private static final class ThrowingSlice implements CaptureSlice
    {
        private final CaptureSlice slice;
        private int callsLeft;

        ThrowingSlice(final CaptureSlice slice, final int calls)
        {
            this.slice = slice;
            callsLeft = calls;
        }

        private CaptureSlice call()
        {
            if (--callsLeft == 0)
            {
                throw new IllegalStateException("planted");
            }
            return slice;
        }

        @Override
        public DirectBuffer buffer()
        {
            return call().buffer();
        }

        @Override
        public int offset()
        {
            return call().offset();
        }

        @Override
        public int rowCount()
        {
            return call().rowCount();
        }

        @Override
        public int rowBytes()
        {
            return call().rowBytes();
        }

        @Override
        public void release()
        {
            call().release();
        }
    }
}
