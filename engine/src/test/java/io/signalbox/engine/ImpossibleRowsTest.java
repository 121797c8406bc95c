// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CompletionSink;
import io.signalbox.event.GroupReader;
import io.signalbox.event.GroupWriter;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** Rows that no expert router can have chosen are missing, and counted as missing. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ImpossibleRowsTest
{
    private static final ModelShape SHAPE = new ModelShape(2, 64, 4);
    private static final long LONG_ENOUGH = 30_000_000_000L;

    /** @param prompt whose rows travel in their completion, or beside it. */
    @ParameterizedTest
    @ValueSource(ints = {40, 1000})
    void shouldCountImpossibleRowsAsMissing(final int prompt) throws Exception
    {
        final ScriptedBackend backend = new ScriptedBackend();
        final RecordingJournal journal = new RecordingJournal();
        final SchedulerConfig config = SchedulerConfig.builder().ranks(1).kvBlocks(128).capture(SHAPE).build();
        final EngineConfig context = new EngineConfig().scheduler(config).backend(backend).journal(journal);
        final EngineClient client = new EngineClient(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final CompletionHandle handle = client.submit(
                CompletionRequest.prompt(new int[prompt]).maxNewTokens(1).routedExperts(0), LONG_ENOUGH);
            final PlannedStep plan = backend.plan(0);
            final HeapSlice rows = backend.rows(plan.tokens());
            final UnsafeBuffer memory = (UnsafeBuffer)rows.buffer();
            memory.putByte(5 * SHAPE.rowBytes() + 7, (byte)255);
            memory.putByte(6 * SHAPE.rowBytes(), (byte)64);
            memory.putByte(8 * SHAPE.rowBytes() + 4, (byte)3);
            backend.sink().d2hComplete(CompletionSink.NOW, 0, 0, plan.step(), plan.sampled(), rows);
            final Completion ended = handle.ended().get();
            assertEquals(prompt - 3, ended.capturedRows());
            assertEquals(3, ended.missingRows());
            final RoutedExperts experts = client.takeRows(handle, LONG_ENOUGH);
            for (int row = 0; row < prompt; row++)
            {
                final boolean missing = List.of(5, 6, 8).contains(row);
                for (int k = 0; k < SHAPE.topK(); k++)
                {
                    assertEquals(missing ? -1 : k, experts.expert(row, 0, k), "row " + row);
                    assertEquals(missing ? -1 : k, experts.expert(row, 1, k), "row " + row);
                }
            }
            assertEquals(0x55, memory.getByte(0), "the slice was not released");
        }
        assertReplays(config, journal);
    }

    static void assertReplays(final SchedulerConfig config, final RecordingJournal journal)
    {
        final Scheduler scheduler = new Scheduler(config);
        final GroupWriter group = new GroupWriter(1024);
        for (final RecordingJournal.Recorded recorded : journal.recorded)
        {
            final GroupReader reader =
                new GroupReader().wrap(new UnsafeBuffer(recorded.group()), 0, recorded.group().length);
            reader.next();
            group.reset();
            scheduler.apply(reader.buffer(), reader.offset(), reader.messageLength(),
                recorded.rows() == null ? null : new UnsafeBuffer(recorded.rows()), 0, group);
            assertArrayEquals(recorded.group(), Arrays.copyOf(group.buffer().byteArray(), group.length()));
        }
    }
}
