// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.TestStrength;
import io.signalbox.cuda.driver.CudaException;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.ptx.PtxKernels;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Plants operands in a wrong order in the shipped PTX: a mistake in inline PTX would look like this. */
class PlantedPtxTest
{
    private static final String KERNEL = TensorTile.V8.kernel(KernelNames.TENSOR_LINEAR);
    private static final int ROWS = 17;
    private static final int COLUMNS = 72;
    private static final int COUNT = 9;

    @BeforeEach
    void open()
    {
        EmulatedDriver.assumeAvailable();
    }

    @AfterEach
    void restore()
    {
        PtxKernels.restore();
    }

    /** How many of the products are wrong. */
    private static int wrong()
    {
        final SplittableRandom random = new SplittableRandom(3);
        final float[] weights = TensorRig.values(ROWS * COLUMNS, random);
        final float[] in = TensorRig.values(COUNT * COLUMNS, random);
        final float[] found = new TensorRig().linear(KERNEL, TensorTile.V8.linearBytes(), weights, ROWS, in, COUNT);
        return TensorProductsTest.wrong(found, weights, ROWS, in, COLUMNS);
    }

    /** The first row changes no meaning and must give no wrong product. A build tries two rows, full counts all. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        0 | bar\\.sync 0; | bar.sync  0; | the same
        1 | (mma.*\\}, \\{)(\\S+), (\\S+)(, \\S+, \\S+\\}, \\{%r.*) | $1$3, $2$4 | rows of the left tile
        1 | (mma.*, \\{)(%r\\d+), (%r\\d+)(\\}, .*) | $1$3, $2$4 | columns of the right tile
        1 | (ldmatrix.* \\{)(\\S+), (\\S+)(, .*) | $1$3, $2$4 | tiles of a load
        1 | (cp\\.async\\.wait_group) 2 | $1 9 | a copy that is not awaited
        1 | (sub\\.s32 \\S+) (\\S+), (%r\\d+); | $1 $3, $2; | the operands of a difference
        """)
    void shouldFindOperandsInAnotherOrder(
        final int isWrong, final String instruction, final String replacement, final String what)
    {
        Assumptions.assumeTrue(isWrong == 0 || what.contains("left") || TestStrength.isFull(), "with full counts only");
        PtxKernels.plant(KERNEL, instruction, replacement);
        if (isWrong == 0)
        {
            assertEquals(0, wrong(), what);
            return;
        }
        int wrong = ROWS * COUNT;
        try
        {
            wrong = wrong();
        }
        catch (final CudaException e)
        {
            assertTrue(EmulatedDriver.lastFault().contains("kernel " + KERNEL), EmulatedDriver.lastFault());
        }
        assertTrue(wrong > 0, what);
    }
}
