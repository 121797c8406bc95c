// SPDX-License-Identifier: Apache-2.0
package io.signalbox.recompute;

import io.signalbox.cpu.CpuBackend;
import io.signalbox.cpu.CpuBackendConfig;
import io.signalbox.cpu.CpuEngineRun;
import io.signalbox.cpu.KnownAnswers;
import io.signalbox.cpu.TinyModels;
import io.signalbox.journal.ReadProgress;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.model.forward.Precision;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A real model behind the threaded engine answers each request as if it were alone; the journal is confirmed when its steps
 * are computed again.
 */
@Timeout(600)
class CpuEngineTest
{
    @TempDir
    private Path temporary;

    @ParameterizedTest
    @CsvSource({"false, 1, 1, 1, F32, 0, 0", "false, 1, 3, 1, BF16, 2, 9", "true, 2, 2, 2, BF16, 7, 9"})
    void shouldGiveEveryRequestTheBitsOfTheRequestAlone(
        final boolean gptOss, final int ranks, final int depth, final int threads, final Precision precision,
        final int drafts, final int faults)
        throws Exception
    {
        check(gptOss, ranks, depth, threads, precision, drafts, faults);
    }

    @EnabledIfSystemProperty(named = "signalbox.tests", matches = "full")
    @ParameterizedTest
    @CsvSource({"false, 2, 4, 3, F32, 3, 0", "false, 2, 2, 1, F32, 0, 9", "true, 1, 1, 1, BF16, 0, 0"})
    void shouldDoSoInOtherSchedules(
        final boolean gptOss, final int ranks, final int depth, final int threads, final Precision precision,
        final int drafts, final int faults)
        throws Exception
    {
        check(gptOss, ranks, depth, threads, precision, drafts, faults);
    }

    private void check(
        final boolean gptOss, final int ranks, final int depth, final int threads, final Precision precision,
        final int drafts, final int faults)
        throws Exception
    {
        new CpuEngineRun(gptOss, ranks, depth, threads, precision, drafts, faults).play(temporary);
        recompute(gptOss ? TinyModels.gptOss() : TinyModels.generated(), precision, drafts > 0, faults > 0);
    }

    /** On another number of threads. */
    private void recompute(
        final ForwardModel model, final Precision precision, final boolean drafted, final boolean faulty)
    {
        final RecomputedRun run = Recomputation.of(temporary, ReadProgress.NONE).run(
            new CpuBackend(model, new CpuBackendConfig().threads(2).precision(precision)
                .drafts(drafted ? new KnownAnswers(model, precision) : null)),
            Recomputation.StepProgress.NONE);

        assertNull(run.difference());
        assertTrue(run.rows() == run.tokens() && run.logprobs() == run.sampledTokens() && run.steps() > 50, run.toString());
        assertTrue(!faulty || run.uncommitted() > 0, run.toString());
    }
}
