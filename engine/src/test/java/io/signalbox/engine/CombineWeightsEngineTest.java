// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.event.EventReader;
import io.signalbox.event.RowsChecksum;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteOrder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Combine weights on their way from the slice of a backend to the rows of a request. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CombineWeightsEngineTest
{
    private static final ModelShape SHAPE = new ModelShape(2, 64, 4).withCombineWeights(true);
    private static final long LONG_ENOUGH = 30_000_000_000L;

    private final ScriptedBackend backend = new ScriptedBackend();
    private final RecordingJournal journal = new RecordingJournal();
    private final SchedulerConfig config = SchedulerConfig.builder().ranks(1).kvBlocks(128).capture(SHAPE).build();

    /** A backend that captures ids alone. */
    private static final class IdsAlone extends DelegatingBackend
    {
        @Override
        void beforeSubmit()
        {
        }

        @Override
        public BackendCapabilities capabilities()
        {
            return BackendCapabilities.named("scripted").capturesExperts(true).build();
        }
    }

    /** The slice, with the checksum of what the backend captured. */
    private record Sealed(HeapSlice slice, long checksum) implements CaptureSlice
    {
        @Override
        public DirectBuffer buffer()
        {
            return slice.buffer();
        }

        @Override
        public int offset()
        {
            return slice.offset();
        }

        @Override
        public int rowCount()
        {
            return slice.rowCount();
        }

        @Override
        public int rowBytes()
        {
            return slice.rowBytes();
        }

        @Override
        public void release()
        {
            slice.release();
        }
    }

    @Test
    void shouldRefuseABackendThatCapturesNone()
    {
        final EngineConfig context = new EngineConfig().scheduler(config).backend(new IdsAlone());
        assertEquals("combineWeights=true needs a backend that captures the combine weights of experts, and the backend " +
            "scripted does not say so; give combineWeights=false, or choose another backend.",
            assertThrows(ConfigException.class, () -> new SteppedEngine(context)).getMessage());
        assertThrows(ConfigException.class,
            () -> BackendCapabilities.named("weights alone").capturesCombineWeights(true).build());
    }

    /** @param prompt whose rows travel in their completion, or beside it. */
    @ParameterizedTest
    @ValueSource(ints = {40, 1000})
    void shouldReturnEachWeightExactlyAndMissRowsWithOneThatIsNotFinite(final int prompt) throws Exception
    {
        final EngineConfig context = new EngineConfig().scheduler(config).backend(backend).journal(journal);
        final EngineClient client = new EngineClient(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final CompletionHandle handle = client.submit(
                CompletionRequest.prompt(new int[prompt]).maxNewTokens(1).routedExperts(0), LONG_ENOUGH);
            final PlannedStep plan = backend.plan(0);
            final HeapSlice rows = backend.rows(plan.tokens());
            put(rows, 5, 7, Float.NaN);
            put(rows, 6, 0, Float.NEGATIVE_INFINITY);
            put(rows, 9, 3, -0.0f);
            put(rows, 10, 3, Float.MIN_VALUE);
            backend.sink().d2hComplete(CompletionSink.NOW, 0, 0, plan.step(), plan.sampled(), rows);
            final Completion ended = handle.ended().get();
            assertEquals(prompt - 2, ended.capturedRows());
            assertEquals(2, ended.missingRows());
            final RoutedExperts experts = client.takeRows(handle, LONG_ENOUGH);
            for (int row = 0; row < prompt; row++)
            {
                assertRow(experts, row);
            }
        }
        ImpossibleRowsTest.assertReplays(config, journal);
    }

    private static void assertRow(final RoutedExperts experts, final int row)
    {
        final boolean missing = row == 5 || row == 6;
        for (int i = 0; i < SHAPE.rowIds(); i++)
        {
            final int k = i % SHAPE.topK();
            final float weight = missing ? Float.NaN : row == 9 && i == 3 ? -0.0f :
                row == 10 && i == 3 ? Float.MIN_VALUE : 1f / (k + 3);
            assertEquals(missing ? -1 : k, experts.expert(row, i / SHAPE.topK(), k), "row " + row);
            assertEquals(Float.floatToRawIntBits(weight),
                Float.floatToRawIntBits(experts.combineWeight(row, i / SHAPE.topK(), k)), "row " + row);
        }
    }

    private static void put(final HeapSlice rows, final int row, final int index, final float weight)
    {
        final int at = row * SHAPE.rowBytes() + SHAPE.idsBytes() + index * Float.BYTES;
        ((UnsafeBuffer)rows.buffer()).putFloat(at, weight, ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    void shouldFailTheStepForAWeightThatIsNotFiniteIfImpossibleRowsDo() throws Exception
    {
        final Completion ended = completeWith(EngineConfig.ImpossibleRows.FAIL_STEP, false, Float.NaN);
        assertEquals(FinishReason.FAILED, ended.reason());
        assertEquals("step 1 of rank 0 has routed-expert row 39, and 0 more, with an id that is no expert or an expert " +
            "twice in a layer, or with a combine weight that is not finite", lastFault());
    }

    /** The last bit of one weight of the last row changes behind the backend's back. */
    @Test
    void shouldFailTheStepIfAWeightChangedAfterItsCapture() throws Exception
    {
        final Completion ended = completeWith(
            EngineConfig.ImpossibleRows.MISSING, true, Math.nextUp(1f / (SHAPE.topK() + 2)));
        assertEquals(FinishReason.FAILED, ended.reason());
        final String fault = lastFault();
        assertTrue(fault.startsWith("step 1 of rank 0 has routed-expert rows with the CRC32C "), fault);
    }

    private Completion completeWith(
        final EngineConfig.ImpossibleRows policy, final boolean sealed, final float lastWeight) throws Exception
    {
        final SchedulerConfig impatient = SchedulerConfig.builder().ranks(1).kvBlocks(128).capture(SHAPE).maxFailures(1)
            .build();
        final EngineConfig context =
            new EngineConfig().scheduler(impatient).backend(backend).journal(journal).impossibleRows(policy);
        final EngineClient client = new EngineClient(context);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            client.connect(engine);
            final CompletionHandle handle =
                client.submit(CompletionRequest.prompt(new int[40]).maxNewTokens(1).routedExperts(0), LONG_ENOUGH);
            final PlannedStep plan = backend.plan(0);
            final HeapSlice rows = backend.rows(plan.tokens());
            final long captured = new RowsChecksum().of(rows.buffer(), 0, 40 * SHAPE.rowBytes());
            put(rows, 39, SHAPE.rowIds() - 1, lastWeight);
            backend.sink().d2hComplete(
                CompletionSink.NOW, 0, 0, plan.step(), plan.sampled(), sealed ? new Sealed(rows, captured) : rows);
            return handle.ended().get();
        }
    }

    private String lastFault()
    {
        final String[] last = new String[1];
        final EventReader reader = new EventReader()
        {
            @Override
            protected void onBackendFault(final BackendFaultDecoder fault)
            {
                last[0] = fault.detail();
            }
        };
        journal.recorded.forEach(
            group -> reader.readGroup(new UnsafeBuffer(group.group()), 0, group.group().length));
        return last[0];
    }
}
