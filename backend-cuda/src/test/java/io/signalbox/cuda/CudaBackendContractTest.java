// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.backend.Backend;
import io.signalbox.cuda.driver.ThreadedDriver;
import io.signalbox.experts.ModelShape;
import io.signalbox.testkit.BackendContractTest;
import org.junit.jupiter.api.extension.ExtendWith;

import java.time.Duration;

/** The CUDA backend keeps the contract of backends, on the emulated driver. */
@ExtendWith(ThreadedDriver.class)
class CudaBackendContractTest extends BackendContractTest
{
    @Override
    protected Backend backend()
    {
        return new CudaBackend(EngineRun.config());
    }

    @Override
    protected ModelShape shape()
    {
        return EngineRun.SHAPE;
    }

    @Override
    protected Duration patience()
    {
        return Duration.ofSeconds(60);
    }
}
