// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.ForwardingDriver;
import io.signalbox.cuda.driver.KernelArguments;
import io.signalbox.experts.ModelShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/** Steps of more ids than one block packs at a time, 2,048, so that a choice may begin in one piece and end in the next. */
class CaptureRingLargeStepTest
{
    private static final int TOKENS = 11;
    private static final int PIECE_IDS = 2048;
    private static final int FIRST_ID = 300;

    private final RecordedResults results = new RecordedResults();
    private final EmulatedDevice device = EmulatedDevice.open();

    private EmulatedRing ring(final ModelShape shape)
    {
        return new EmulatedRing(device, EmulatedRing.settings(shape, TOKENS, 2, 1));
    }

    /** A block for each piece, and one for all, whose warps then share memory from piece to piece. */
    @ParameterizedTest
    @CsvSource({"48,128,8,3", "31,256,7,1", "61,257,9,2", "26,512,22,1", "94,64,6,4"})
    void shouldBringEveryIdOfAStepInSeveralPieces(
        final int layers, final int experts, final int topK, final int blocks)
    {
        try (EmulatedRing rig = ring(new ModelShape(layers, experts, topK)))
        {
            rig.pack = rig.resultLaunches(new SomeBlocks(device.driver, blocks)).packRows(experts, TOKENS);
            rig.tryStep(1, TOKENS);
            rig.ring.poll(results);
            assertEquals(List.of(), results.faults);
            assertNull(StepOracle.wrongRows(rig.layout, 1, TOKENS, results.lastRows()));
        }
    }

    /** The first id of the second piece repeats the first of its choice, which is in the piece before. */
    @Test
    void d26ShouldFindARepetitionAcrossPieces()
    {
        final int layers = 26;
        final int topK = 22;
        final int set = PIECE_IDS / topK;
        try (EmulatedRing rig = ring(new ModelShape(layers, 512, topK)))
        {
            rig.idSource = (step, token, layer, k) ->
                token * layers + layer == set && k == PIECE_IDS % topK ? FIRST_ID : FIRST_ID + k;
            rig.tryStep(1, TOKENS);
            rig.ring.poll(results);
        }
        assertEquals(List.of("the result of step 1 in slot 0 of rank 3, generation 1, cannot be used: 1 of the expert ids " +
            "of 11 tokens in 26 MoE layers, 22 each, are not between 0 and 511, or are repeated within a token's choice, " +
            "first for token " + set / layers + " in MoE layer " + set % layers), results.faults);
    }

    /** As many blocks as the test says, each of several warps. */
    private static final class SomeBlocks extends ForwardingDriver
    {
        private final int blocks;

        private SomeBlocks(final CudaDriver driver, final int blocks)
        {
            super(driver);
            this.blocks = blocks;
        }

        @Override
        public Launch prepareLaunch(
            final Kernel kernel,
            final int ignored,
            final int threadsPerBlock,
            final int sharedBytes,
            final KernelArguments arguments)
        {
            return super.prepareLaunch(kernel, blocks, threadsPerBlock, sharedBytes, arguments);
        }
    }
}
