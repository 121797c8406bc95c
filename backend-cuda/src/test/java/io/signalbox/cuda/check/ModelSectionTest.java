// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.backend.Backend;
import io.signalbox.cuda.driver.CudaException;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.ForwardingDriver;
import io.signalbox.cuda.driver.JCudaBinding;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.WeightType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Times of models on the emulated driver, whose kernels are made slower one at a time. */
@Tag("threads")
class ModelSectionTest
{
    private static final CheckedModel MODEL = CheckedModel.SMALL.get(0);
    private static final ModelWeights WEIGHTS = GeneratedModel.weights(MODEL.plan(WeightType.BF16), 1);
    private static final CheckConfig OPTIONS = SmallCheck.of(Set.of(GpuSection.MODEL));

    private final JCudaBinding driver = new JCudaBinding();
    private final Findings findings = new Findings();

    @BeforeEach
    void load()
    {
        EmulatedDriver.assumeAvailable();
        driver.load();
        driver.initialise();
    }

    private static ModelSteps steps(final CheckDevice device, final CaptureForm form)
    {
        return new ModelSteps(device, 0, WEIGHTS, ModelRoom.sizes(MODEL, List.of(2)), KernelFamily.FAST, form);
    }

    private double figure(final String name)
    {
        final SectionResult result = findings.result(GpuSection.MODEL, 0.0);
        return result.figures().stream().filter(figure -> figure.name().equals(name)).findFirst()
            .orElseThrow(() -> new AssertionError(name + " is not in " + result)).value();
    }

    /** Rows are packed after a step's other kernels, on another stream. */
    @Test
    void shouldCountThePackingOfRowsAsTimeOfCapture()
    {
        final long slowMillis = 1;
        try (CheckDevice device = new CheckDevice(driver, 0); ModelSteps first = steps(device, CaptureForm.FUSED))
        {
            EmulatedDriver.slowKernel("pack_rows", slowMillis);
            new ModelForms(device, OPTIONS, MODEL, WEIGHTS)
                .compare(OPTIONS, first, ModelRoom.sizes(MODEL, List.of(2)), findings);
        }
        final String name = "OLMoE, small, fast kernels: decode of 2, capture ";
        final double off = figure(name + "off");
        assertTrue(off < 0.1, "a launch takes a microsecond: " + off);
        assertEquals(slowMillis, figure(name + "fused") - off, 0.01);
        assertEquals(slowMillis, figure(name + "unfused") - off, 0.01);
        assertEquals(8.0, figure(name + "in any form, timed steps of each"));
    }

    /** The device is busy while the host launches the kernels, so the events around them do not time the host. */
    @ParameterizedTest
    @ValueSource(strings = {"cuEventRecord", "cuGraphLaunch"})
    void shouldTimeKernelsWithoutTheHostsLaunch(final String call)
    {
        try (CheckDevice device = new CheckDevice(driver, 0); BusyDevice busy = new BusyDevice(device, 1 << 12);
            ModelSteps steps = steps(device, null))
        {
            steps.timedAfter(busy);
            final List<List<ModelToken>> tokens = ModelTimes.decode(MODEL, WEIGHTS, 2);
            steps.run(tokens.get(0));
            final long kernels = EmulatedDriver.calls("cuLaunchKernel");
            final long events = EmulatedDriver.calls("cuEventRecord");
            EmulatedDriver.failCall(call, 1, CudaException.OUT_OF_MEMORY);

            assertThrows(CudaException.class, () -> steps.run(tokens.get(1)));
            assertEquals(kernels + BusyDevice.READS, EmulatedDriver.calls("cuLaunchKernel"));
            assertEquals(events + 1, EmulatedDriver.calls("cuEventRecord"), "the start is recorded, and not the end");
        }
    }

    @Test
    void shouldAttendToKeysAndValuesThatAreNotZeros()
    {
        try (CheckDevice device = new CheckDevice(driver, 0);
            ModelSteps steps = ModelSteps.weighed(device, 0, WEIGHTS, ModelRoom.sizes(MODEL, List.of(1)), KernelFamily.FAST))
        {
            final List<ModelToken> tokens = ModelTimes.decode(MODEL, WEIGHTS, 1).get(0);
            steps.run(tokens);
            final float[] ofZeros = steps.logits();
            steps.fillCache(3);
            steps.run(tokens);

            assertFalse(Arrays.equals(ofZeros, steps.logits()));
        }
    }

    @Test
    void shouldWarmUpBeforeTheStepsThatCount()
    {
        final int[] steps = {0};
        final double median = new ModelTimes.Repetitions(300.0, 20, 5, 0).median(20, () -> ++steps[0] <= 30 ? 10.0 : 7.0);

        assertEquals(50, steps[0]);
        assertEquals(7.0, median);
        final ModelTimes.Repetitions device = ModelTimes.Repetitions.of(CheckedModelTest.options(16));
        assertTrue(device.warmUpMillis() >= 300.0 && device.decodes() >= 20 && device.prefills() >= 5, device.toString());
    }

    /** A fault of capture ends the count of experts, and the times do not need it. */
    @Test
    void shouldMeasureTimesIfNoExpertsWereCounted()
    {
        try (CheckDevice device = new CheckDevice(driver, 0); ModelSteps first = steps(device, CaptureForm.FUSED))
        {
            new ModelTimes(device, OPTIONS, MODEL, WEIGHTS, new ModelFloor(WEIGHTS.plan(), 1e9))
                .measure(first, KernelFamily.FAST, findings);
        }
        assertTrue(figure("OLMoE, small, fast kernels: decode of 4 at context 20") > 0.0);
        assertTrue(figure("OLMoE, small, fast kernels: prefill of 24") > 0.0);
        assertFalse(findings.result(GpuSection.MODEL, 0.0).toString().contains("floor"));
    }

    /** The kernel of one tiling, which serves steps of more than 32 tokens, is left out. */
    @Test
    void shouldFindTheSizeOfStepsWhoseBitsDiffer()
    {
        final ForwardingDriver planted = new DriverWithoutKernel(driver, "tensor_linear_v64");
        try (CheckDevice device = new CheckDevice(planted, 0); ModelSteps first = steps(device, CaptureForm.FUSED))
        {
            FastPlaces.compare(OPTIONS, MODEL, "planted", first, findings);
        }
        final SectionResult result = findings.result(GpuSection.MODEL, 0.0);
        assertEquals(CheckVerdict.FAILED, result.verdict());
        assertTrue(result.note().matches("planted, fast kernels: place \\d+ of 33 tokens has .*"), result.note());
    }

    /** One token has few tasks of attention; 25 tokens of four heads have more than their kernel takes. */
    @ParameterizedTest
    @CsvSource({", PASSED, 5", "decoder_attend_lone_bf16, FAILED, 0"})
    void shouldCompareTheKernelsOfAttentionAtTheEndOfTheContext(
        final String absent, final CheckVerdict verdict, final int compared)
    {
        final CheckedModel model = new CheckedModel("many", MODEL.shape(), List.of(1, 25), 20, 24);
        final ForwardingDriver planted = new DriverWithoutKernel(driver, absent);
        try (CheckDevice device = new CheckDevice(planted, 0); ModelSteps first = steps(device, CaptureForm.FUSED))
        {
            FastPlaces.compareAtContext(OPTIONS, model, ModelTimes.decode(model, WEIGHTS, 25).get(0), first, findings);
        }
        final SectionResult result = findings.result(GpuSection.MODEL, 0.0);
        assertEquals(verdict, result.verdict(), result.note());
        assertEquals(compared,
            figure("many, fast kernels: tokens in company at context 20, with the bits of the token alone"));
    }

    @Test
    void shouldFindTheSameBitsAtEveryPlace()
    {
        try (CheckDevice device = new CheckDevice(driver, 0); ModelSteps first = steps(device, CaptureForm.FUSED))
        {
            FastPlaces.compare(OPTIONS, MODEL, "small", first, findings);
        }
        assertEquals(CheckVerdict.PASSED, findings.result(GpuSection.MODEL, 0.0).verdict());
        assertEquals(4 * 5 + 33, figure("small, fast kernels: tokens in company, with the bits of the token alone"));
    }

    @Test
    void shouldAnswerThroughTheEngineAsJavaDoes()
    {
        try (CheckDevice device = new CheckDevice(driver, 0))
        {
            final CheckedRequests requests = new CheckedRequests(OPTIONS.seed());
            assertNull(requests.fault(requests.serve(device, 0, GpuCheckTest.ENGINE, CheckedRequests.DRAFT_TOKENS, 0.0),
                CheckedRequests.DRAFT_TOKENS));
        }
    }

    /** Prompts of at most 8 tokens alone never use the kernel that is left out; steps of several requests do. */
    @Test
    void shouldFindAnAnswerThatDependsOnTheOtherRequestsOfItsSteps()
    {
        final ForwardingDriver planted = new DriverWithoutKernel(driver, "tensor_linear_v32");
        try (CheckDevice device = new CheckDevice(planted, 0))
        {
            final CheckedRequests requests = CheckedRequests.fast(device, OPTIONS);
            final EngineRunner.Served served = requests.serve(device, 0, GpuCheckTest.ENGINE, 0, 0.0);

            final String fault = requests.fault(served, 0);
            assertNotNull(fault);
            assertTrue(fault.matches(
                "Request \\d \\(fast kernels\\) was answered otherwise than by the fast kernels alone."), fault);
        }
    }

    /** The engine may fail for reasons that have nothing to do with the device. */
    @Test
    void shouldTimeTheLargeModelEvenIfTheEngineFails()
    {
        final EngineRunner broken = new EngineRunner()
        {
            @Override
            public void generate(final Backend backend, final ModelShape capture, final int tokens)
            {
                throw new AssertionError("not asked for");
            }

            @Override
            public Served serve(
                final Backend backend, final ModelShape capture, final List<int[]> prompts, final int tokens,
                final int drafts, final double seconds)
            {
                backend.close();
                throw new IllegalStateException("the journal cannot be made");
            }
        };
        try (CheckDevice device = new CheckDevice(driver, 0))
        {
            new ModelSection(broken, List.of(), List.of()).run(device, OPTIONS, findings);
        }
        final SectionResult result = findings.result(GpuSection.MODEL, 0.0);
        assertEquals(CheckVerdict.FAILED, result.verdict());
        assertTrue(result.note().contains("The part 'requests through the engine' failed: The journal cannot be made."),
            result.note());
        assertTrue(figure("OLMoE, small, fast kernels: decode of 4 at context 20") > 0.0);
        assertTrue(figure("OLMoE, small: prefill of 24") > 0.0);
        final double experts = figure("OLMoE, small: decode of 4, experts read in a layer");
        assertTrue(experts >= 3.0 && experts <= 8.0, experts + " of 8 experts, top-3, 4 tokens");
    }
}
