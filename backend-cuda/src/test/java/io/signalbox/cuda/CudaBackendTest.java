// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.ConfigException;
import io.signalbox.experts.ModelShape;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CudaBackendTest
{
    @Test
    void shouldRefuseToStartAndSayWhatItCanAndCannotDo()
    {
        try (CudaBackend backend = new CudaBackend(new CudaProbe(new FakeDriver().devices(0))))
        {
            final ConfigException refusal =
                assertThrows(ConfigException.class, () -> backend.start(1, new ModelShape(4, 64, 2), null));

            assertTrue(refusal.getMessage().contains("runs no steps"), refusal.getMessage());
            assertTrue(refusal.getMessage().contains("offers no GPU"), refusal.getMessage());
            assertTrue(refusal.getMessage().endsWith("use the simulated backend."), refusal.getMessage());
        }
    }

    @Test
    void shouldClaimNoCaptureSinceItHasNoKernels()
    {
        try (CudaBackend backend = new CudaBackend())
        {
            assertFalse(backend.capabilities().capturesExperts());
        }
    }
}
