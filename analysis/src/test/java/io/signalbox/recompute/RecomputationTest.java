// SPDX-License-Identifier: Apache-2.0
package io.signalbox.recompute;

import io.signalbox.ConfigException;
import io.signalbox.backend.Backend;
import io.signalbox.cpu.CpuBackend;
import io.signalbox.cpu.CpuBackendConfig;
import io.signalbox.cpu.TinyModels;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.ReadProgress;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.model.forward.Precision;
import io.signalbox.recompute.StepDifference.Part;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A recorded run that is computed again is equal, and a result that was changed in a copy of its journal is found: that
 * step, that token, that layer, and nothing else. {@link CpuEngineTest} computes runs with faults, cancels and preemptions
 * again.
 */
@Tag("threads")
@Timeout(300)
class RecomputationTest
{
    private static final Duration LONG = Duration.ofSeconds(120);
    private static final ForwardModel MODEL = TinyModels.generated();
    private static final ModelShape SHAPE = MODEL.plan().shape().withCombineWeights(true);
    private static final int STEP = 3;

    @TempDir
    private Path temporary;
    private Path recorded;

    @BeforeEach
    void nameJournal()
    {
        recorded = temporary.resolve("recorded");
    }

    private SignalboxEngine launch(final int depth)
    {
        return launch(depth, backend(1));
    }

    private SignalboxEngine launch(final int depth, final Backend backend)
    {
        return SignalboxEngine.launch(new EngineConfig().backend(backend)
            .scheduler(SchedulerConfig.builder().ranks(1).kvBlocks(129).blockSizeTokens(4).stepTokens(16).depth(depth)
                .capture(SHAPE).prefixCaching(true).build())
            .vocabularySize(MODEL.plan().vocabulary())
            .runJournal(new DirectoryJournal(recorded, JournalConfig.of(Durability.PROCESS))));
    }

    private static CpuBackend backend(final int threads)
    {
        return new CpuBackend(MODEL, new CpuBackendConfig().threads(threads));
    }

    private static CompletionRequest request(final int index)
    {
        final int[] prompt = new int[9 + 5 * index];
        for (int i = 0; i < prompt.length; i++)
        {
            prompt[i] = (i < 8 ? i : i * 7 + index) % MODEL.plan().vocabulary();
        }
        return CompletionRequest.prompt(prompt).maxNewTokens(12).temperature(index % 2).seed(index).logprobs()
            .routedExperts(0);
    }

    private void record(final int depth) throws Exception
    {
        try (SignalboxEngine engine = launch(depth))
        {
            final List<CompletionHandle> handles = new ArrayList<>();
            for (int index = 0; index < 4; index++)
            {
                handles.add(engine.submit(request(index)));
            }
            for (final CompletionHandle handle : handles)
            {
                handle.await(LONG);
            }
        }
    }

    private static RecomputedRun recompute(final Path journal, final CpuBackend backend)
    {
        return Recomputation.of(journal, ReadProgress.NONE).run(backend, Recomputation.StepProgress.NONE);
    }

    @Test
    void shouldComputeARunAgain() throws Exception
    {
        record(2);
        final List<String> shown = new ArrayList<>();
        final Recomputation recomputation = Recomputation.of(recorded, ReadProgress.NONE);
        final RecomputedRun run = recomputation.run(backend(3), (done, total) -> shown.add(done + " of " + total));

        assertNull(run.difference());
        assertEquals(48, run.sampledTokens());
        assertEquals(48, run.logprobs());
        assertEquals(0, run.missingRows());
        assertEquals(run.tokens(), run.rows());
        assertEquals(recomputation.steps(), run.steps());
        assertEquals(run.steps() + " of " + run.steps(), shown.get(shown.size() - 1));
    }

    /** An engine that closes leaves steps in flight; the next one begins a new epoch without keys and values. */
    @Test
    void shouldComputeARunThatAnotherEngineContinued() throws Exception
    {
        try (SignalboxEngine engine = launch(2))
        {
            for (int index = 0; index < 4; index++)
            {
                engine.submit(request(index)).iterator().hasNext();
            }
        }
        try (SignalboxEngine engine = launch(2))
        {
            for (final CompletionHandle handle : engine.resumed())
            {
                handle.await(LONG);
            }
        }
        final RecomputedRun run = recompute(recorded, backend(1));

        assertNull(run.difference());
        assertTrue(run.sampledTokens() >= 48, run.toString());
    }

    private StepDifference change(final JournalCopy.Change change) throws Exception
    {
        record(1);
        final Path copy = temporary.resolve("copy");
        JournalCopy.write(recorded, copy, 0, STEP, change);
        final RecomputedRun run = recompute(copy, backend(1));
        assertEquals(STEP, run.steps());
        return run.difference();
    }

    @Test
    void shouldFindAWrongToken() throws Exception
    {
        final int[] token = new int[1];
        final StepDifference found = change((completion, decoder, message, rows, rowsAt) ->
        {
            token[0] = completion.token(0);
            JournalCopy.otherToken(completion, decoder, message);
        });

        assertEquals(Part.TOKEN, found.part());
        assertEquals(STEP, found.step());
        assertEquals(Integer.toString(token[0] ^ 1), found.recorded());
        assertEquals(Integer.toString(token[0]), found.recomputed());
        assertEquals(1, found.tokens());
        assertEquals(0, found.rows());
    }

    /** The last two experts of the second MoE layer change places: a possible row, and another order of sums. */
    @Test
    void shouldFindExpertsInAnotherOrder() throws Exception
    {
        final String[] ids = new String[1];
        final StepDifference found = change((completion, decoder, message, rows, rowsAt) ->
        {
            final int at = rowsAt + SHAPE.topK() + SHAPE.topK() - 2;
            final byte first = rows.getByte(at);
            final byte second = rows.getByte(at + 1);
            ids[0] = rows.getByte(at - 2) + " " + rows.getByte(at - 1) + " ";
            rows.putByte(at, second);
            rows.putByte(at + 1, first);
            ids[0] += first + " " + second;
        });

        assertEquals(Part.EXPERTS, found.part());
        assertEquals(SHAPE.layerId(1), found.layer());
        assertEquals(ids[0], found.recomputed());
        assertEquals(1, found.rows());
        assertEquals(0, found.tokens());
    }

    @Test
    void shouldFindACombineWeightThatIsOneBitOff() throws Exception
    {
        final StepDifference found = change((completion, decoder, message, rows, rowsAt) ->
            flip(rows, rowsAt + SHAPE.rowBytes() - Float.BYTES));

        assertEquals(Part.COMBINE_WEIGHTS, found.part());
        assertEquals(SHAPE.layerId(2), found.layer());
        assertEquals(1, found.rows());
    }

    private static void flip(final MutableDirectBuffer rows, final int at)
    {
        rows.putInt(at, rows.getInt(at, ByteOrder.LITTLE_ENDIAN) ^ 1, ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    void shouldCountTheRowsOfAStepWithoutAValidOne() throws Exception
    {
        try (SignalboxEngine engine = launch(1, new RowlessStep(backend(1), STEP)))
        {
            engine.submit(request(0)).await(LONG);
        }
        final RecomputedRun run = recompute(recorded, backend(1));

        assertNull(run.difference());
        assertTrue(run.missingRows() > 0, run.toString());
        assertEquals(run.tokens(), run.rows() + run.missingRows());
    }

    @Test
    void shouldFindOtherWeightsInTheFirstStep() throws Exception
    {
        record(1);
        final ForwardModel other = ForwardModel.of(GeneratedModel.weights(MODEL.plan(), 8));
        final RecomputedRun run = recompute(recorded, new CpuBackend(other, new CpuBackendConfig()));

        assertEquals(1, run.steps());
        assertEquals(1, run.difference().step());
        assertEquals(0, run.difference().position());
        assertEquals(Part.EXPERTS, run.difference().part());
        assertTrue(run.difference().rows() > 0 && run.difference().tokens() > 0, run.toString());
    }

    @Test
    void shouldFindAnotherPrecision() throws Exception
    {
        record(1);
        final RecomputedRun run =
            recompute(recorded, new CpuBackend(MODEL, new CpuBackendConfig().precision(Precision.BF16)));

        assertTrue(run.difference() != null && run.difference().part() != Part.STEP, run.toString());
    }

    @Test
    void shouldRefuseABackendThatCannotComputeTheRun() throws Exception
    {
        record(1);
        final Recomputation recomputation = Recomputation.of(recorded, ReadProgress.NONE);
        final ConfigException refused = assertThrows(ConfigException.class,
            () -> recomputation.run(new Tokenless(), Recomputation.StepProgress.NONE));

        assertEquals("the backend tokenless cannot compute the run again: it reads no tokens; choose another backend.",
            refused.getMessage());
    }
}
