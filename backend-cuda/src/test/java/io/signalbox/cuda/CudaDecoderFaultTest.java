// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.ConfigException;
import io.signalbox.TestStrength;
import io.signalbox.backend.Backend;
import io.signalbox.backend.RankSizes;
import io.signalbox.cpu.CpuBackend;
import io.signalbox.cpu.CpuBackendConfig;
import io.signalbox.cuda.driver.CudaException;
import io.signalbox.cuda.driver.EmulatedDriver.Count;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.ThreadedDriver;
import io.signalbox.engine.FinishReason;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.serving.BackendMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

import static io.signalbox.cuda.DecoderRuns.SHAPE;
import static io.signalbox.cuda.DecoderRuns.WEIGHTS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A model on a device that runs out of memory or fails, and a model whose values are no numbers. */
@Timeout(600)
@ExtendWith(ThreadedDriver.class)
class CudaDecoderFaultTest
{
    private static final RankSizes SIZES =
        new RankSizes(DecoderRuns.KV_BLOCKS, DecoderRuns.BLOCK_SIZE, DecoderRuns.STEP_TOKENS, 8, 2, 0);
    private static final int RANKS = 2;

    @TempDir
    private Path temporary;

    private static CudaBackendConfig config(final ModelWeights weights, final String version)
    {
        return new CudaBackendConfig().model(weights).weightVersion(version).maxGraphTokens(4);
    }

    private static CudaBackend backend(final ModelWeights weights)
    {
        return new CudaBackend(config(weights, null));
    }

    private static CudaBackend sized()
    {
        return sized(backend(WEIGHTS));
    }

    private static CudaBackend sized(final CudaBackend backend)
    {
        backend.sizes(SIZES);
        return backend;
    }

    private static BackendMemory budget(final String version)
    {
        final CudaBackendConfig config = config(WEIGHTS, version);
        config.sized(SIZES);
        return DeviceBudget.of(config, 0, RANKS, SHAPE).on("GPU 0", Long.MAX_VALUE);
    }

    /** With a version, the second set is allocated at start; a replacement allocates nothing. */
    @ParameterizedTest
    @NullSource
    @ValueSource(strings = "policy-1")
    void shouldTakeTheMemoryThatItComputedAndNoMore(final String version)
    {
        final long needed = budget(version).bytes();
        EmulatedDriver.memoryBytes(needed);
        try (CudaBackend backend = sized(new CudaBackend(config(WEIGHTS, version))))
        {
            backend.start(RANKS, SHAPE, new RankReports());
            if (version != null)
            {
                backend.prepareWeights("next", GeneratedModel.weights(WEIGHTS.plan(), 3));
            }
        }
        EmulatedDriver.memoryBytes(1 << 30);
        final MeasuredMemory driver = new MeasuredMemory();
        final CudaBackend measured = sized(new CudaBackend(config(WEIGHTS, version), driver));
        measured.start(RANKS, SHAPE, new RankReports());
        measured.close();
        assertTrue(driver.most() <= needed && driver.most() > needed - 8192, driver.most() + " of " + needed + " bytes");
        assertEquals(version == null ? 0 : 1, budget(version).text().split("a second set of weights", -1).length - 1);
    }

    @Test
    void shouldRefuseInOneSentenceBeforeItTakesAnything()
    {
        EmulatedDriver.memoryBytes(budget(null).bytes() - 1);
        final CudaBackend backend = sized();

        final String message =
            assertThrows(ConfigException.class, () -> backend.start(RANKS, SHAPE, new RankReports())).getMessage();

        assertTrue(message.startsWith("The model needs ") && message.contains(" logits, ") &&
            message.endsWith("or a smaller model."), message);
        assertEquals(0, EmulatedDriver.calls("cuMemAlloc"));
        assertEquals(0, EmulatedDriver.calls("cuMemHostAlloc"));
    }

    /** Each sixth allocation fails, with -Pfull each one. */
    @ParameterizedTest
    @CsvSource({"cuMemAlloc,", "cuMemHostAlloc,", "cuMemAlloc, policy-1", "cuMemHostAlloc, policy-1"})
    void shouldSayThatMemoryRanOutAndKeepNothing(final String call, final String version)
    {
        final int every = TestStrength.count(6, 1);
        int refusals = 1 - every;
        boolean refused = true;
        while (refused)
        {
            refusals += every;
            EmulatedDriver.failCall(call, refusals, CudaException.OUT_OF_MEMORY);
            final CudaBackend backend = sized(new CudaBackend(config(WEIGHTS, version)));
            try
            {
                backend.start(RANKS, SHAPE, new RankReports());
                backend.close();
                refused = false;
            }
            catch (final ConfigException e)
            {
                assertTrue(e.getMessage().startsWith("The CUDA backend cannot start 2 ranks: " + call), e.getMessage());
                assertEquals(0, EmulatedDriver.count(Count.DEVICE_ALLOCATIONS), "after " + refusals);
                assertEquals(0, EmulatedDriver.count(Count.PINNED_ALLOCATIONS), "after " + refusals);
            }
        }
        assertTrue(refusals > 5, refusals + " allocations");
        EmulatedDriver.reset();
    }

    @ParameterizedTest
    @CsvSource({"1", "40", "200"})
    void shouldEndRequestsByNameAfterAKernelFailed(final int launch) throws Exception
    {
        final CudaBackendConfig config = new CudaBackendConfig().model(WEIGHTS).maxGraphTokens(0);

        final DecoderRuns.Ends ends = DecoderRuns.serve(new CudaBackend(config), DecoderRuns.scheduler().depth(2).build(),
            temporary.resolve("journal"), () -> EmulatedDriver.failLaunch(launch, CudaException.LAUNCH_FAILED));

        assertEquals(Map.of(FinishReason.FAILED, DecoderRuns.REQUESTS), ends.reasons());
        assertTrue(ends.faults().get(0).contains("CUDA_ERROR_LAUNCH_FAILED (719)"), ends.faults().toString());
        assertNull(JournalVerifier.verify(temporary.resolve("journal"), Scheduler::new).difference());
        // A broken context frees nothing piece by piece, so that its release is what counts.
        assertEquals(0, EmulatedDriver.count(Count.CONTEXTS));
        EmulatedDriver.reset();
    }

    private DecoderRuns.Ends serve(final Backend backend, final String journal) throws Exception
    {
        // Each request fails again and again, and nothing is gained by a wait in between.
        return DecoderRuns.serve(backend, DecoderRuns.scheduler().depth(1).backOffNanos(1_000).maxFailures(2).build(),
            temporary.resolve(journal), () -> { });
    }

    @ParameterizedTest
    @CsvSource({"1, NaN, the scores of a router are no numbers", "0, Infinity, the scores of a router are no numbers",
        "2, NaN, logits are no numbers"})
    void shouldFailStepsOfWhatIsNoNumberAsTheCpuBackend(final int layer, final float planted, final String expected)
        throws Exception
    {
        final ModelWeights wrong = NoNumberPlant.in(WEIGHTS, layer, planted);
        final Backend cpu = new CpuBackend(ForwardModel.of(wrong), new CpuBackendConfig().threads(1));

        final DecoderRuns.Ends reference = serve(cpu, "cpu");
        final DecoderRuns.Ends found = serve(backend(wrong), "cuda");

        final String sentence = "the model computed what is no number: " + expected;
        assertEquals(Map.of(FinishReason.FAILED, DecoderRuns.REQUESTS), found.reasons());
        assertEquals(reference.reasons(), found.reasons());
        assertEquals(Set.of(sentence), Set.copyOf(reference.faults()));
        assertTrue(found.faults().stream().allMatch(fault -> fault.startsWith(sentence)), found.faults().toString());
        assertNull(JournalVerifier.verify(temporary.resolve("cuda"), Scheduler::new).difference());
    }
}
