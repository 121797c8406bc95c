// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.CudaDriver.Graph;
import io.signalbox.cuda.driver.CudaDriver.Launch;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.kernel.ExpertRouterMemory;
import io.signalbox.cuda.kernel.ExpertRouterMode;
import io.signalbox.cuda.kernel.ExpertRouterSpec;
import io.signalbox.cuda.kernel.KernelLaunches;
import io.signalbox.cuda.kernel.LogitsType;
import io.signalbox.cuda.kernel.SeededLogits;
import io.signalbox.cuda.kernel.StepMemory;
import io.signalbox.experts.ModelShape;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The defects of docs/defects.md that the device side can have. Each test runs twice: as it is, and with the guard taken
 * out, when the defect must show; else the test would pass whatever the ring does.
 */
class CaptureRingDefectTest
{
    private static final ModelShape SHAPE = new ModelShape(2, 16, 2);
    private static final int MAX_TOKENS = 8;
    private static final String UNUSABLE_3 =
        "the result of step 3 in slot 0 of rank 3, generation 3, cannot be used: ";
    private static final int COMPUTE = 0;
    private static final int COPY = 1;

    private final RecordedResults results = new RecordedResults();
    private EmulatedDevice device;

    @BeforeEach
    void open()
    {
        device = EmulatedDevice.open();
    }

    private EmulatedRing ring(final Function<ResultCheck, SlotGuards> guards)
    {
        return ring(driver -> driver, guards);
    }

    private EmulatedRing ring(final UnaryOperator<CudaDriver> change, final Function<ResultCheck, SlotGuards> guards)
    {
        return new EmulatedRing(device, EmulatedRing.settings(SHAPE, MAX_TOKENS, 2, 2), change, guards);
    }

    /** Two steps at once: while the first is being copied, the kernels of the second run to their end. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void d5ShouldNotOverwriteAStepThatIsBeingCopied(final boolean slotsOfTheirOwn)
    {
        stepDevice();
        try (EmulatedRing rig = ring(SlotGuards::new))
        {
            copyInPart(rig.tryStep(1, 8));
            secondStep(rig, slotsOfTheirOwn);
            advanceCompute();
            EmulatedDriver.advanceAll();
            rig.ring.poll(results);
            assertEquals(slotsOfTheirOwn, results.faults.isEmpty());
            assertEquals(List.of(1L, 2L), results.steps);
        }
    }

    private static void secondStep(final EmulatedRing rig, final boolean slotOfItsOwn)
    {
        final CaptureSlot slot = rig.ring.tryOpen(2);
        rig.fill(slot, 8);
        if (!slotOfItsOwn)
        {
            slot.pinnedBlock().buffer().putInt(StepBlock.SLOT_OFFSET, 0);
        }
        rig.ring.begin(slot, 8);
        rig.launchKernels(slot);
        rig.ring.finish(slot);
    }

    /**
     * The device's gate alone: the host takes the first step for complete while it is being copied, and uses its slot
     * again.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void d5ShouldNotComputeInASlotThatIsBeingCopied(final boolean computeWaits)
    {
        stepDevice();
        final UnaryOperator<CudaDriver> change =
            driver -> computeWaits ? driver : new OneStreamWaits(driver, device.compute, false);
        try (EmulatedRing rig = ring(change, LaxGuards.AnyTime::new))
        {
            final CaptureSlot slot = rig.tryStep(1, 8);
            copyInPart(slot);
            rig.tryStep(2, 8);
            rig.ring.poll(results);
            results.releaseAll();
            assertSame(slot, rig.tryStep(3, 8));
            advanceCompute();
            while (slot.word().read() != 1)
            {
                EmulatedDriver.advanceStream(COPY);
            }
            assertEquals(computeWaits, slot.result().fault(1, EmulatedRing.RANK, 1, EmulatedRing.FINGERPRINT) == null);
        }
    }

    private static void stepDevice()
    {
        EmulatedDriver.stepped();
        EmulatedDriver.quantum(64, false);
    }

    /** The result's header has arrived, the rest has not. */
    private static void copyInPart(final CaptureSlot slot)
    {
        advanceCompute();
        while (slot.result().step() != slot.step())
        {
            EmulatedDriver.advanceStream(COPY);
        }
    }

    private static void advanceCompute()
    {
        boolean ran = true;
        while (ran)
        {
            ran = EmulatedDriver.advanceStream(COMPUTE);
        }
    }

    /** A router without capture: its layer's ids stay what they were before the step. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void d14ShouldRefuseRowsThatNoKernelWrote(final boolean slotsStartAtMinusOne)
    {
        try (EmulatedRing rig = ring(SlotGuards::new))
        {
            final DeviceMemory elsewhere = rig.driver.allocate(rig.layout.captureBytes());
            rig.open = slotsStartAtMinusOne ? null : kernelsOn(rig, elsewhere).slotOpen();
            rig.tryStep(1, 3);
            rig.tryStep(2, 3);
            rig.ring.poll(results);
            results.releaseAll();
            rig.captureCopies[1] = null;
            rig.tryStep(3, 3);
            rig.ring.poll(results);
            rig.driver.free(elsewhere);
            assertEquals(slotsStartAtMinusOne ?
                List.of(UNUSABLE_3 + "6 of the expert ids of 3 tokens in 2 MoE layers, 2 each, were not written by any " +
                    "kernel, first for token 0 in MoE layer 1") : List.of(), results.faults);
            assertEquals(slotsStartAtMinusOne, results.rows.isEmpty(), "rows of step 1 came out as those of step 3");
        }
    }

    private static KernelLaunches kernelsOn(final EmulatedRing rig, final DeviceMemory capture)
    {
        final StepMemory memory = rig.resultMemory;
        return new KernelLaunches(rig.driver, rig.device.module, new StepMemory(memory.step(), capture, memory.results(),
            memory.resultStride(), null, memory.shape(), memory.maxTokens()));
    }

    /** A graph with the addresses of one ring, launched for a step of another: nothing is in the slot but what was there. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void d15ShouldRefuseTheResultOfAGraphThatWritesToAnotherRing(final boolean slotsAreOpened)
    {
        try (EmulatedRing first = ring(SlotGuards::new); EmulatedRing second = ring(SlotGuards::new))
        {
            final DeviceMemory nothing = second.driver.allocate(second.layout.captureBytes());
            final DeviceMemory elsewhere = second.driver.allocate(second.ring.stepMemory().results().bytes());
            second.open = slotsAreOpened ? null : openingElsewhere(second, nothing, elsewhere);
            final Graph graph = capturedStep(first);
            second.tryStep(1, 3);
            second.tryStep(2, 3);
            second.ring.poll(results);
            results.releaseAll();
            final CaptureSlot slot = second.ring.tryOpen(3);
            second.fill(slot, 3);
            second.ring.begin(slot, 3);
            second.driver.launch(graph, device.compute);
            second.ring.finish(slot);
            second.ring.poll(results);
            assertTrue(results.rows.isEmpty(), results.faults.toString());
            assertEquals(slotsAreOpened ? List.of(UNUSABLE_3 + "12 of the expert ids of 3 tokens in 2 MoE layers, 2 each, " +
                "were not written by any kernel, first for token 0 in MoE layer 0") : 1,
                slotsAreOpened ? results.faults : results.faults.size());
            second.driver.destroy(graph);
            second.driver.free(nothing);
            second.driver.free(elsewhere);
        }
    }

    private static Launch openingElsewhere(
        final EmulatedRing rig, final DeviceMemory capture, final DeviceMemory slots)
    {
        final StepMemory memory = rig.resultMemory;
        return new KernelLaunches(rig.driver, rig.device.module, new StepMemory(memory.step(), capture, slots,
            memory.resultStride(), null, memory.shape(), memory.maxTokens())).slotOpen();
    }

    /** Without capture there are no ids to miss: the places of the tokens say that no kernel wrote them. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void d15ShouldRefuseTokensThatNoKernelSampled(final boolean sampled)
    {
        try (EmulatedRing rig = new EmulatedRing(device, EmulatedRing.settings(null, MAX_TOKENS, 2, 1)))
        {
            for (int step = 1; step <= 3; step++)
            {
                final CaptureSlot slot = rig.ring.tryOpen(step);
                rig.fill(slot, 3);
                rig.ring.begin(slot, 3);
                if (sampled || step < 3)
                {
                    rig.launchKernels(slot);
                }
                rig.ring.finish(slot);
                rig.ring.poll(results);
            }
            assertEquals(sampled ? List.of() :
                List.of(UNUSABLE_3 + "entry 0 of 2 has the token -1, which no kernel sampled"), results.faults);
        }
    }

    private Graph capturedStep(final EmulatedRing rig)
    {
        final CaptureSlot slot = rig.tryStep(1, 3);
        rig.driver.beginCapture(device.compute);
        rig.launchKernels(slot);
        return rig.driver.endCapture(device.compute);
    }

    /** Kernels are launched for a bucket of eight tokens; the step has three. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void d16ShouldExportNoRowsOfPadding(final boolean deviceKnowsTheTokens)
    {
        try (EmulatedRing rig = ring(deviceKnowsTheTokens ? SlotGuards::new : LaxGuards.AnyResult::new))
        {
            final CaptureSlot slot = rig.ring.tryOpen(1);
            rig.fill(slot, 3);
            if (!deviceKnowsTheTokens)
            {
                slot.pinnedBlock().buffer().putInt(StepBlock.TOKENS_OFFSET, MAX_TOKENS);
            }
            rig.ring.begin(slot, MAX_TOKENS);
            rig.launchKernels(slot);
            assertEquals(deviceKnowsTheTokens, paddingIsUnwritten(rig));
            rig.ring.finish(slot);
            rig.ring.poll(results);
            assertEquals(deviceKnowsTheTokens, results.lastRows().rowCount() == 3);
        }
    }

    private static boolean paddingIsUnwritten(final EmulatedRing rig)
    {
        final int viewIds = MAX_TOKENS * SHAPE.topK();
        final short[] capture = rig.readCapture();
        boolean unwritten = true;
        for (int i = 0; i < SHAPE.moeLayers() * viewIds; i++)
        {
            unwritten &= i % viewIds < 3 * SHAPE.topK() || capture[i] == -1;
        }
        return unwritten;
    }

    /** The device got fewer tokens than the slot was opened for, or packs for another model. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void d16ShouldRefuseAResultOfAnotherShape(final boolean fewerTokens)
    {
        try (EmulatedRing rig = ring(SlotGuards::new))
        {
            final CaptureSlot slot = rig.ring.tryOpen(1);
            rig.fill(slot, 3);
            if (fewerTokens)
            {
                slot.pinnedBlock().buffer().putInt(StepBlock.TOKENS_OFFSET, 2);
            }
            else
            {
                rig.pack = oneLayerOf(rig).packRows(SHAPE.experts(), MAX_TOKENS);
            }
            rig.ring.begin(slot, MAX_TOKENS);
            rig.launchKernels(slot);
            rig.ring.finish(slot);
            rig.ring.poll(results);
            assertEquals(List.of("the result of step 1 in slot 0 of rank 3, generation 1, cannot be used: " +
                "the header tells of " + (fewerTokens ?
                "2 tokens and " + StepOracle.entries(3) + " entries, not of 3 and " + StepOracle.entries(3) :
                "1 layers with 2 ids of 1 bytes, not of 2 with 2 of 1")), results.faults);
        }
    }

    private static KernelLaunches oneLayerOf(final EmulatedRing rig)
    {
        final StepMemory memory = rig.resultMemory;
        return new KernelLaunches(rig.driver, rig.device.module, new StepMemory(memory.step(), memory.capture(),
            memory.results(), memory.resultStride(), null, new ModelShape(1, memory.shape().experts(), memory.topK()),
            memory.maxTokens()));
    }

    /** A draft model routes after the target, with the same kernels. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void d18ShouldKeepADraftModelOutOfTheTargetsRows(final boolean draftHasNoView)
    {
        try (EmulatedRing rig = ring(SlotGuards::new))
        {
            final DeviceMemory logits = rig.driver.allocate(4L * MAX_TOKENS * SHAPE.experts());
            rig.beforePacking = draft(rig, logits, draftHasNoView);
            rig.tryStep(1, 8);
            rig.ring.poll(results);
            rig.driver.free(logits);
            assertEquals(draftHasNoView, StepOracle.wrongRows(rig.layout, 1, 8, results.lastRows()) == null);
        }
    }

    private Launch[] draft(final EmulatedRing rig, final DeviceMemory logits, final boolean hasNoView)
    {
        final ExpertRouterSpec spec =
            ExpertRouterSpec.plain(SHAPE.experts(), SHAPE.topK(), ExpertRouterMode.SOFTMAX_TOPK, LogitsType.FP32);
        final ExpertRouterMemory router = new ExpertRouterMemory(logits, null, null, null);
        final KernelLaunches kernels = new KernelLaunches(device.driver, device.module, rig.ring.stepMemory());
        return new Launch[]{
            kernels.seededLogits(new SeededLogits(9, SeededLogits.MAX_LEVELS), spec, logits, 0, MAX_TOKENS),
            hasNoView ? kernels.route(spec, router, MAX_TOKENS) : kernels.routeCapturing(spec, router, 0, MAX_TOKENS)};
    }

    @ParameterizedTest
    @ValueSource(ints = {255, 256, 257, 512})
    void d20ShouldBringTheHighestExpertOnBothSidesOfTheByteBoundary(final int experts)
    {
        assertArrayEquals(new int[]{experts - 1, 0}, highestAndZero(experts, experts));
    }

    /** Ids in the width that suffices for 256 experts. */
    @ParameterizedTest
    @ValueSource(ints = {257, 512})
    void d20ShouldShowWhatANarrowerIdWouldDo(final int experts)
    {
        assertArrayEquals(new int[]{experts - 1 & 0xFF, 0}, highestAndZero(256, experts));
    }

    /** The result of a step whose tokens all choose the last expert and expert 0. */
    private int[] highestAndZero(final int expertsOfTheWidth, final int experts)
    {
        final ModelShape shape = new ModelShape(1, expertsOfTheWidth, 2);
        try (EmulatedRing rig = new EmulatedRing(device, EmulatedRing.settings(shape, 4, 2, 1)))
        {
            rig.pack = rig.resultLaunches(rig.driver).packRows(experts, 4);
            rig.idSource = (step, token, layer, k) -> k == 0 ? experts - 1 : 0;
            rig.tryStep(1, 4);
            rig.ring.poll(results);
            assertEquals(List.of(), results.faults);
            final CaptureSlice rows = results.lastRows();
            return new int[]{
                StepOracle.id(rig.layout, rows.buffer(), rows.offset(), 0),
                StepOracle.id(rig.layout, rows.buffer(), rows.offset(), 1)};
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void d26ShouldRefuseAnExpertThatIsChosenTwice(final boolean resultsAreChecked)
    {
        assertRefused(resultsAreChecked, (step, token, layer, k) -> token == 1 && layer == 1 ? 7 : k,
            "1 of the expert ids of 3 tokens in 2 MoE layers, 2 each, are not between 0 and 15, " +
            "or are repeated within a token's choice, first for token 1 in MoE layer 1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void d26ShouldRefuseAnExpertThatDoesNotExist(final boolean resultsAreChecked)
    {
        assertRefused(resultsAreChecked, (step, token, layer, k) -> token == 2 ? 15 + k : k,
            "2 of the expert ids of 3 tokens in 2 MoE layers, 2 each, are not between 0 and 15, " +
            "or are repeated within a token's choice, first for token 2 in MoE layer 0");
    }

    private void assertRefused(
        final boolean resultsAreChecked, final EmulatedRing.IdSource ids, final String expected)
    {
        try (EmulatedRing rig = ring(resultsAreChecked ? SlotGuards::new : LaxGuards.AnyResult::new))
        {
            rig.idSource = ids;
            rig.tryStep(1, 3);
            rig.ring.poll(results);
            assertEquals(resultsAreChecked ?
                List.of("the result of step 1 in slot 0 of rank 3, generation 1, cannot be used: " + expected) : List.of(),
                results.faults);
            assertEquals(resultsAreChecked, results.rows.isEmpty(), "rows came out that name no expert");
        }
    }
}
