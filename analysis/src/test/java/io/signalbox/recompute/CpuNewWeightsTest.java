// SPDX-License-Identifier: Apache-2.0
package io.signalbox.recompute;

import io.signalbox.ConfigException;
import io.signalbox.cpu.CpuBackend;
import io.signalbox.cpu.CpuNewWeightsRun;
import io.signalbox.cpu.TinyModels;
import io.signalbox.engine.WeightSwap;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.ReadProgress;
import io.signalbox.model.forward.Precision;
import io.signalbox.scheduler.Scheduler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** New weights while steps are in flight: every position has the bits of the weights that the request names for it. */
@Tag("threads")
@Timeout(600)
class CpuNewWeightsTest
{
    @TempDir
    private Path journal;

    @ParameterizedTest
    @CsvSource({"REQUEUE, 2, 2, 2, F32, 9", "ABORT, 1, 4, 2, BF16, 0"})
    void shouldComputeEachPositionWithTheWeightsThatItsSpanNames(
        final WeightSwap way, final int ranks, final int depth, final int threads, final Precision precision,
        final int faults) throws Exception
    {
        check(way, ranks, depth, threads, precision, faults);
    }

    @EnabledIfSystemProperty(named = "signalbox.tests", matches = "full")
    @ParameterizedTest
    @CsvSource({"CONTINUE, 2, 4, 2, F32, 0", "CONTINUE, 1, 1, 1, BF16, 0"})
    void shouldComputeEachPositionWithTheWeightsThatItsSpanNamesWithoutFaults(
        final WeightSwap way, final int ranks, final int depth, final int threads, final Precision precision,
        final int faults) throws Exception
    {
        check(way, ranks, depth, threads, precision, faults);
    }

    private void check(
        final WeightSwap way, final int ranks, final int depth, final int threads, final Precision precision,
        final int faults) throws Exception
    {
        final List<String> versions = new CpuNewWeightsRun(way, ranks, depth, threads, precision, faults).play(journal);

        assertNull(JournalVerifier.verify(journal, Scheduler::new).difference());
        final Recomputation recomputation = Recomputation.of(journal, ReadProgress.NONE);
        assertEquals(versions, recomputation.newWeights());
        final RecomputedRun again = recompute(recomputation, precision, 0);
        assertTrue(again.isEqual() && again.rows() > 100, again.toString());
        final RecomputedRun wrong = recompute(recomputation, precision, 1);
        assertTrue(wrong.difference() != null && wrong.steps() > 1, wrong.toString());
        final CpuBackend without = CpuNewWeightsRun.backend(1, precision);
        final String refused = assertThrows(ConfigException.class,
            () -> recomputation.run(without, Recomputation.StepProgress.NONE)).getMessage();
        assertTrue(
            refused.contains("the weights '" + versions.get(0) + "' of generation 1, and has 'generation-0'"), refused);
    }

    /** @param shift added to the generation whose weights are prepared; 0 is correct. */
    private static RecomputedRun recompute(final Recomputation recomputation, final Precision precision, final int shift)
    {
        final CpuBackend backend = CpuNewWeightsRun.backend(1, precision);
        return recomputation.run(backend,
            (generation, version) -> backend.prepareWeights("again", TinyModels.generation(generation + shift)),
            Recomputation.StepProgress.NONE);
    }
}
