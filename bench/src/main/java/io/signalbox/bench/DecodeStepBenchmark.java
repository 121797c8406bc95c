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
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
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

import java.util.concurrent.TimeUnit;

/**
 * Commits one decode step of 256 running requests and plans the next: the whole group, encoded. A request that ends is
 * replaced by a new one, so that the load stays the same for as long as the benchmark runs.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(value = 3, jvmArgsAppend = {"-Xms4g", "-Xmx4g"})
public class DecodeStepBenchmark
{
    private static final int RUNNING = 256;

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
    private long step;
    private int stepTokens;
    private int checksumTokens;
    private long lastChecksum;
    private int stepEntries;
    private final int[] starts = new int[RUNNING + 1];
    private int ended;

    @Setup
    public void setUp()
    {
        shape = moeLayers == 0 ? null : new ModelShape(moeLayers, 256, 8);
        rows = new UnsafeBuffer(new byte[16_384 * (shape == null ? 1 : shape.rowBytes())]);
        scheduler = new Scheduler(SchedulerConfig.builder()
            .ranks(1).kvBlocks(65_536).maxRunning(RUNNING).stepTokens(16_384).capture(shape).build());
        for (int i = 0; i < RUNNING; i++)
        {
            // Lives of different lengths, so that the requests do not all end in one step.
            submit(512 + 7 * i);
        }
        writer.wake().timeNanos(0);
        apply(null);
    }

    private void submit(final int newTokens)
    {
        final SubmitEncoder submit = writer.submit();
        submit.timeNanos(0).requestId(nextId++).conversationId(-1).predecessorId(-1).thinkTimeNanos(0).deadlineNanos(-1)
            .samplingSeed(0).promptTokens(16).maxNewTokens(newTokens).stopTokenId(-1).rowsFrom(-1).priority(0).rankHint(-1)
            .temperature(1f).topP(1f).rankHintRelaxed(Flag.NO);
        submit.putBlockHashes(noBytes, 0, 0).putCacheKey(noBytes, 0, 0).putTokens(noBytes, 0, 0);
        apply(null);
    }

    @Benchmark
    public int planAndCommit()
    {
        final D2hCompleteEncoder message = writer.d2hComplete();
        message.timeNanos(step).step(step).epoch(0).rank(0)
            .rowCount(shape == null ? 0 : stepTokens).rowBytes(shape == null ? 0 : shape.rowBytes())
            .rowsChecksum(shape == null ? 0 : rowsChecksum())
            .rowForm(shape == null ? RowForm.NONE : RowForm.CHUNKED);
        final D2hCompleteEncoder.EntriesEncoder entries = message.entriesCount(stepEntries);
        for (int i = 0; i < stepEntries; i++)
        {
            entries.next().start(starts[i]).accepted((short)1);
        }
        final D2hCompleteEncoder.TokensEncoder tokens = message.tokensCount(stepEntries);
        for (int i = 0; i < stepEntries; i++)
        {
            tokens.next().tokenId(i);
        }
        message.impossibleRowsCount(0);
        message.putRows(noBytes, 0, 0);
        final int endedRequests = apply(rows);
        final int length = group.length();
        for (int i = 0; i < endedRequests; i++)
        {
            submit(512 + (int)(nextId % 1024));
        }
        return length;
    }

    /** The rows never change, so neither does their checksum: it is the backend's work and not measured here. */
    private long rowsChecksum()
    {
        if (checksumTokens != stepTokens)
        {
            checksumTokens = stepTokens;
            lastChecksum = checksum.of(rows, 0, stepTokens * shape.rowBytes());
        }
        return lastChecksum;
    }

    private int apply(final UnsafeBuffer capturedRows)
    {
        group.reset();
        scheduler.apply(writer.buffer(), 0, writer.length(), capturedRows, 0, group);
        ended = 0;
        outputs.readGroup(group.buffer(), 0, group.length());
        return ended;
    }

    /** Reads the outputs that the backend and the clients of a real run would read. */
    private final class Outputs extends EventReader
    {
        @Override
        protected void onSchedule(final StepView plan)
        {
            step = plan.step();
            stepTokens = plan.tokens();
            stepEntries = plan.entryCount();
            for (int i = 0; i < stepEntries; i++)
            {
                starts[i] = plan.start(i);
            }
        }

        @Override
        protected void onFree(final FreeDecoder end)
        {
            ended++;
        }
    }
}
