// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.JCudaBinding;
import io.signalbox.cuda.driver.LaunchTraits;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.WeightType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ProfileSectionTest
{
    private static final double EXACT = 1e-12;

    @Test
    @Timeout(300)
    void shouldNameEveryKernelWithTheBytesThatItReads()
    {
        final SectionResult result = run(0);

        assertEquals(CheckVerdict.PASSED, result.verdict(), result.toString());
        final Map<String, Double> figures = new TreeMap<>();
        result.figures().forEach(figure -> figures.put(figure.name(), figure.value()));
        final String fast = "OLMoE, small, FAST, decode of 2 at context 20: ";
        // Query, key and value at once, and output, of two layers.
        assertEquals(2, figures.get(fast + "tensor_linear_v8, 120 x 40: launches"));
        assertEquals(2 * 120 * 40 * 2 / 1e6, figures.get(fast + "tensor_linear_v8, 120 x 40: reads"), EXACT);
        assertEquals(2, figures.get(fast + "tensor_linear_v8, 40 x 40: launches"));
        assertEquals(70 * 40 * 2 / 1e6, figures.get(fast + "tensor_linear_v8, 70 x 40: reads"), EXACT);
        assertEquals(2 * 2 * 2 * 20 * (40 + 40) / 1e6, figures.get(fast + "decoder_attend_lone_bf16: reads"), EXACT);
        final double experts = figures.get(fast + "experts read, mean of a layer");
        assertTrue(experts >= 3 && experts <= 6, "two tokens, top-3: " + experts);
        assertEquals(2 * experts * 40 * 16 * 2 / 1e6, figures.get(fast + "tensor_expert_down_v8: reads"), EXACT);
        assertEquals(2 * figures.get(fast + "tensor_expert_down_v8: reads"),
            figures.get(fast + "tensor_expert_up_v8: reads"), EXACT);
        for (final int batch : CheckedModel.SMALL.get(0).batches())
        {
            final String exact = "OLMoE, small, EXACT, decode of " + batch + " at context 20: ";
            assertEquals(8, figures.get(exact + "decoder_linear_bf16, 40 x 40: launches"));
            assertTrue(figures.get(exact + "as a graph") > 0.0, exact);
            assertTrue(figures.get(exact + "sum of the launches") > 0.0, exact);
        }
        assertTrue(figures.containsKey("an event after a launch adds"), figures.toString());
    }

    @Test
    void shouldNotRunOnADeviceWithoutRoomForTheModel()
    {
        final SectionResult result = run(16);

        assertEquals(CheckVerdict.NOT_RUN, result.verdict(), result.toString());
        assertTrue(result.note().startsWith("OLMoE-1B-7B, decode of 1 needs 14."), result.note());
    }

    @Test
    void shouldLeaveOutTheBatchesThatDoNotFit()
    {
        final CheckedModel model = CheckedModel.large(16);
        final Findings findings = new Findings();

        assertEquals(List.of(1, 32), ProfileSection.batches(model, model.plan(WeightType.BF16), 30e9, findings));
        final SectionResult result = findings.result(GpuSection.PROFILE, 0.0);
        assertEquals(CheckVerdict.NOT_RUN, result.verdict());
        assertEquals("OLMoE-1B-7B, decode of 256 needs 48.2 GB for weights, keys and values; this section takes 30.0 GB " +
            "of the free memory.", result.note());
    }

    @Test
    void shouldAddUpTheLaunchesOfAKernelAndKeepShapesApart()
    {
        final LaunchTraits norm = new LaunchTraits("norm", "", 0);
        final LaunchTraits query = new LaunchTraits("linear", "4 x 4", 32);
        final LaunchTraits head = new LaunchTraits("linear", "9 x 4", 72);
        final StepProfile profile = new StepProfile(List.of(norm, query, norm, query, head),
            new double[][] {{1, 10, 2, 20, 30}, {1, 12, 2, 22, 30}, {5, 90, 9, 90, 99}}, new double[] {60},
            new double[] {61}, 0);

        assertEquals(List.of(new StepProfile.Row("norm", norm, 2, 3.0, 2.0),
            new StepProfile.Row("linear, 4 x 4", query, 2, 34.0, 20.0),
            new StepProfile.Row("linear, 9 x 4", head, 1, 30.0, 30.0)), profile.rows());
        assertEquals(67.0, profile.sumMicros());
    }

    private static SectionResult run(final int layers)
    {
        EmulatedDriver.assumeAvailable();
        final JCudaBinding driver = new JCudaBinding();
        driver.load();
        driver.initialise();
        final Findings findings = new Findings();
        try (CheckDevice device = new CheckDevice(driver, 0))
        {
            new ProfileSection().run(device, SmallCheck.of(
                new ModelShape(1, 16, 4), Set.of(GpuSection.PROFILE), List.of("false")).withTokens(2)
                .withCells(List.of(new OverheadCell(2, 2, 0.0))).withModel(layers, false), findings);
        }
        return findings.result(GpuSection.PROFILE, 0.0);
    }
}
