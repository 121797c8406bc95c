// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.event.EventReader;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.InputWriter;
import io.signalbox.event.RowsChecksum;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.D2hCompleteEncoder;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.RowForm;
import io.signalbox.event.codec.SubmitEncoder;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RowCheck;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.stats.LiveFigures;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Commits one decode step of all running requests and plans a further one: the whole group, encoded, and at a depth above 1
 * the group of the Forward between them. Captured rows are checked for impossible ids as the engine does. A request that
 * ends is replaced by a new one, so that the load stays the same for as long as the benchmark runs.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(value = 3, jvmArgsAppend = {"-Xms4g", "-Xmx4g"})
public class DecodeStepBenchmark
{
    static final int KV_BLOCKS = 262_144;
    private static final int KEPT = 8;

    @Param({"256", "1024"})
    private int running;

    /** Steps in flight. */
    @Param({"1", "2"})
    private int depth;

    /** Draft tokens per entry, of which the device accepts every second one. */
    @Param({"0", "3"})
    private int drafts;

    /** MoE layers of the capture with top-8 of 256 experts; 0: capture off. */
    @Param({"0", "58"})
    private int moeLayers;

    private final InputWriter writer = new InputWriter();
    private final GroupWriter group = new GroupWriter(1 << 20);
    private final Outputs outputs = new Outputs();
    private final RowsChecksum checksum = new RowsChecksum();
    private final UnsafeBuffer noBytes = new UnsafeBuffer(new byte[0]);
    private Scheduler scheduler;
    private ModelShape shape;
    private UnsafeBuffer rows;
    private long nextId = 1;
    private final Plan[] plans = new Plan[KEPT];
    private long oldest = 1;
    private long newest;
    private RowCheck rowCheck;
    private int checksumTokens;
    private long lastChecksum;
    private int ended;
    private boolean isTimed;
    private long schedulerNanos;
    /** Sees every group; {@code null}: nobody does. */
    private LiveFigures figures;

    /** A step in flight, and the positions from which later entries continue. */
    private static final class Plan
    {
        private int entries;
        private int tokens;
        private int sampled;
        private int[] starts = new int[0];
        private int[] accepted = new int[0];
        private int[] next = new int[0];
    }

    /** Decode steps at depth 1 without capture, beside the benchmark. */
    static DecodeStepBenchmark of(final int running, final LiveFigures figures)
    {
        final DecodeStepBenchmark steps = new DecodeStepBenchmark();
        steps.running = running;
        steps.depth = 1;
        steps.figures = figures;
        steps.setUp();
        return steps;
    }

    /** Any decode steps, timed by {@link #takeSchedulerNanos()}. */
    static DecodeStepBenchmark timed(final int running, final int depth, final int drafts, final int moeLayers)
    {
        final DecodeStepBenchmark steps = new DecodeStepBenchmark();
        steps.running = running;
        steps.depth = depth;
        steps.drafts = drafts;
        steps.moeLayers = moeLayers;
        steps.isTimed = true;
        steps.setUp();
        return steps;
    }

    /**
     * Time in the scheduler and in the check of the rows since the last call: without what the benchmark does in place of a
     * backend, which writes the completion and reads the plan.
     */
    long takeSchedulerNanos()
    {
        final long taken = schedulerNanos;
        schedulerNanos = 0;
        return taken;
    }

    private long now()
    {
        return isTimed ? System.nanoTime() : 0;
    }

    @Setup
    public void setUp()
    {
        shape = moeLayers == 0 ? null : new ModelShape(moeLayers, 256, 8);
        rows = new UnsafeBuffer(new byte[32_768 * (shape == null ? 1 : shape.rowBytes())]);
        for (int i = 0; i < rows.capacity(); i++)
        {
            rows.putByte(i, (byte)(i % 8));
        }
        rowCheck = shape == null ? null : new RowCheck(shape);
        Arrays.setAll(plans, i -> new Plan());
        scheduler = new Scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(KV_BLOCKS).maxRunning(running)
            .stepTokens(32_768).capture(shape).depth(depth).draftTokens(drafts).build());
        for (int i = 0; i < running; i++)
        {
            // Lives of different lengths, so that the requests do not all end in one step.
            submit(512 + 7 * (i % 256));
        }
        writer.wake().timeNanos(0);
        apply(null);
    }

    private void submit(final int newTokens)
    {
        final SubmitEncoder submit = writer.submit();
        submit.timeNanos(0).requestId(nextId++).conversationId(-1).predecessorId(-1).thinkTimeNanos(0).deadlineNanos(-1)
            .samplingSeed(0).promptTokens(16).maxNewTokens(newTokens).rowsFrom(-1).priority(0).rankHint(-1)
            .temperature(1f).topP(1f).rankHintRelaxed(Flag.NO);
        submit.putBlockHashes(noBytes, 0, 0).putCacheKey(noBytes, 0, 0).putTokens(noBytes, 0, 0)
            .putHashChain(noBytes, 0, 0).putStopTokens(noBytes, 0, 0);
        apply(null);
    }

    @Benchmark
    public int planAndCommit()
    {
        int length = 0;
        if (depth > 1)
        {
            writer.forward().timeNanos(newest).step(newest).deviceTimeNanos(0).epoch(0).rank(0);
            apply(null);
            length = group.length();
        }
        final Plan plan = plans[(int)(oldest % KEPT)];
        checkRows(plan);
        complete(plan);
        final int endedRequests = apply(rows);
        length += group.length();
        for (int i = 0; i < endedRequests; i++)
        {
            submit(512 + (int)(nextId % 1024));
        }
        return length;
    }

    private void checkRows(final Plan plan)
    {
        final long begin = now();
        if (rowCheck != null && rowCheck.firstUnsound(rows, 0, 0, plan.tokens) != plan.tokens)
        {
            throw new IllegalStateException("the rows are sound");
        }
        schedulerNanos += now() - begin;
    }

    private void complete(final Plan plan)
    {
        final D2hCompleteEncoder message = writer.d2hComplete();
        message.timeNanos(oldest).step(oldest).epoch(0).rank(0)
            .rowCount(shape == null ? 0 : plan.tokens).rowBytes(shape == null ? 0 : shape.rowBytes())
            .rowsChecksum(shape == null ? 0 : rowsChecksum(plan.tokens)).computeNanos(0)
            .rowForm(shape == null ? RowForm.NONE : RowForm.CHUNKED);
        final D2hCompleteEncoder.EntriesEncoder entries = message.entriesCount(plan.entries);
        for (int i = 0; i < plan.entries; i++)
        {
            entries.next().start(plan.starts[i]).accepted((short)plan.accepted[i]);
        }
        final D2hCompleteEncoder.TokensEncoder tokens = message.tokensCount(plan.sampled);
        for (int i = 0; i < plan.sampled; i++)
        {
            tokens.next().tokenId(i);
        }
        message.impossibleRowsCount(0);
        message.logprobsCount(0);
        message.putRows(noBytes, 0, 0);
        oldest++;
    }

    /** The rows never change, so neither does their checksum: it is the backend's work and not measured here. */
    private long rowsChecksum(final int tokens)
    {
        if (checksumTokens != tokens)
        {
            checksumTokens = tokens;
            lastChecksum = checksum.of(rows, 0, tokens * shape.rowBytes());
        }
        return lastChecksum;
    }

    private int apply(final UnsafeBuffer capturedRows)
    {
        group.reset();
        final long begin = now();
        scheduler.apply(writer.buffer(), 0, writer.length(), capturedRows, 0, group);
        schedulerNanos += now() - begin;
        if (figures != null)
        {
            figures.onGroup(group.buffer(), 0, group.length());
        }
        ended = 0;
        outputs.readGroup(group.buffer(), 0, group.length());
        return ended;
    }

    /** Reads the outputs that the backend and the clients of a real run would read. */
    private final class Outputs extends EventReader
    {
        @Override
        protected void onSchedule(final StepView step)
        {
            newest = step.step();
            final Plan plan = plans[(int)(newest % KEPT)];
            plan.entries = step.entryCount();
            plan.tokens = step.tokens();
            plan.sampled = 0;
            if (plan.entries > plan.starts.length)
            {
                plan.starts = new int[2 * plan.entries];
                plan.accepted = new int[2 * plan.entries];
                plan.next = new int[2 * plan.entries];
            }
            for (int i = 0; i < plan.entries; i++)
            {
                decide(step, i, plan);
            }
        }

        private void decide(final StepView step, final int entry, final Plan plan)
        {
            final int count = step.tokenCount(entry);
            if (count == 1 && step.slack(entry) == 0)
            {
                plan.starts[entry] = step.start(entry);
                plan.accepted[entry] = step.samples(entry) ? 1 : 0;
                plan.next[entry] = plan.starts[entry] + 1;
                plan.sampled += plan.accepted[entry];
                return;
            }
            final int back = step.predecessorBack(entry);
            final int start = back == 0 ? step.start(entry) :
                plans[(int)((newest - back) % KEPT)].next[step.predecessorEntry(entry)];
            final int wanted = back == 0 ? step.samples(entry) ? 1 : 0 : 1 + (count - 1) / 2;
            final int accepted = back == 0 ? wanted : Math.max(0, Math.min(wanted, step.end(entry) - start));
            plan.starts[entry] = start;
            plan.accepted[entry] = accepted;
            plan.next[entry] = back == 0 ? start + count : start + accepted;
            plan.sampled += accepted;
        }

        @Override
        protected void onFree(final FreeDecoder end)
        {
            ended++;
        }
    }
}
