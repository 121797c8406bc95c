// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class KernelSetTest
{
    @Test
    void d14ShouldRefuseCaptureFromAKernelSetThatDeclaresNothing()
    {
        final KernelSet opaque = KernelSet.named("monolithic");

        final String message = assertThrows(ConfigException.class, opaque::captureForm).getMessage();

        assertTrue(message.contains("'monolithic'"), message);
        assertTrue(message.contains("writesCapture, exportsIds and exposesLogits"), message);
    }

    @Test
    void shouldTakeTheCheapestFormThatIsDeclared()
    {
        final KernelSet beside = KernelSet.named("set").exposingLogits();
        assertEquals(CaptureForm.BESIDE, beside.captureForm());
        assertEquals(CaptureForm.UNFUSED, beside.exportingIds().captureForm());
        assertEquals(CaptureForm.FUSED, beside.exportingIds().writingCapture().captureForm());
        assertEquals(CaptureForm.FUSED, KernelSet.named("set").writingCapture().captureForm());
    }

    @Test
    void d14ShouldRefuseTheFormThatIsNotDeclared()
    {
        final KernelSet set = KernelSet.named("set").exportingIds();

        assertEquals(CaptureForm.UNFUSED, set.captureForm(CaptureForm.UNFUSED));
        final ConfigException refusal =
            assertThrows(ConfigException.class, () -> set.captureForm(CaptureForm.FUSED));
        assertTrue(refusal.getMessage().contains("'set' does not declare writesCapture"), refusal.getMessage());
        assertThrows(ConfigException.class, () -> set.captureForm(CaptureForm.BESIDE));
    }
}
