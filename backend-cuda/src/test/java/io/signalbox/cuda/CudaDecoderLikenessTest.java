// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.ThreadedDriver;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.engine.FinishReason;
import io.signalbox.model.ModelWeights;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** However a model's steps are made and run, answers and routed experts are the same. */
@Timeout(600)
@ExtendWith(ThreadedDriver.class)
class CudaDecoderLikenessTest
{
    @TempDir
    private Path temporary;
    private int runs;
    private ModelWeights weights = DecoderRuns.WEIGHTS;

    private static SchedulerConfig.Builder plain()
    {
        return DecoderRuns.scheduler().depth(1).prefixCaching(false);
    }

    private DecoderRuns.Ends serve(final CudaBackendConfig config, final SchedulerConfig.Builder scheduler)
        throws Exception
    {
        final DecoderRuns.Ends ends = DecoderRuns.serve(new CudaBackend(config.model(weights)),
            scheduler.build(), temporary.resolve("run" + runs++), () -> { });
        assertEquals(Map.of(FinishReason.LENGTH, DecoderRuns.REQUESTS), ends.reasons());
        assertEquals(List.of(), ends.faults());
        return ends;
    }

    private static CudaBackendConfig eager()
    {
        return new CudaBackendConfig().maxGraphTokens(0);
    }

    private void compare(
        final DecoderRuns.Ends first, final String what, final CudaBackendConfig config,
        final SchedulerConfig.Builder scheduler) throws Exception
    {
        final DecoderRuns.Ends other = serve(config, scheduler);
        assertEquals(first.tokens(), other.tokens(), what);
        assertEquals(first.experts(), other.experts().isEmpty() ? first.experts() : other.experts(), what);
    }

    @Test
    void shouldAnswerAlikeHoweverStepsAreMadeAndRun() throws Exception
    {
        final DecoderRuns.Ends first = serve(eager(), plain());

        compare(first, "graphs, one request at a time", new CudaBackendConfig().maxGraphTokens(16), plain().maxRunning(1));
        compare(first, "smaller chunks, prefix hits", eager(), plain().stepTokens(5).prefixCaching(true));
        compare(first, "two steps in flight, larger blocks", eager(), plain().depth(2).blockSizeTokens(16));
        compare(first, "unfused capture", eager().captureForm(CaptureForm.UNFUSED), plain());
        compare(first, "capture beside", eager().captureForm(CaptureForm.BESIDE), plain());
        compare(first, "no capture", eager(), plain().capture(null));
    }

    private static CudaBackendConfig fast()
    {
        return eager().kernelFamily(KernelFamily.FAST);
    }

    @Test
    void shouldAnswerAlikeWithTheFastKernels() throws Exception
    {
        weights = DecoderRuns.BF16_WEIGHTS;
        final DecoderRuns.Ends first = serve(fast(), plain());

        compare(first, "the same again", fast(), plain());
        compare(first, "graphs, one request at a time", fast().maxGraphTokens(16), plain().maxRunning(1));
        compare(first, "smaller chunks, no capture", fast(), plain().stepTokens(5).capture(null));
        compare(first, "prefix hits, two steps in flight", fast(), plain().prefixCaching(true).depth(2));
    }

    @Test
    void shouldAnswerAlikeOnSeveralDevices() throws Exception
    {
        EmulatedDriver.devices(2);
        final DecoderRuns.Ends first = serve(eager(), plain());

        compare(first, "two ranks on a device", eager(), plain().ranks(2));
        compare(first, "two ranks on two devices", eager().devices(List.of(0, 1)), plain().ranks(2));
        compare(first, "three ranks on two devices, two steps in flight", eager().devices(List.of(1, 0)),
            plain().ranks(3).depth(2));
    }
}
