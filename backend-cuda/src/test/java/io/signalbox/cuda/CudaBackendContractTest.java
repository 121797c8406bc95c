// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.backend.Backend;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.EmulatedDriver.Count;
import io.signalbox.experts.ModelShape;
import io.signalbox.testkit.BackendContractTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

import java.time.Duration;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The CUDA backend keeps the contract of backends, on the emulated driver. */
class CudaBackendContractTest extends BackendContractTest
{
    @BeforeAll
    static void assumeEmulatedDriver()
    {
        EmulatedDriver.assumeAvailable();
    }

    @BeforeEach
    void threaded()
    {
        EmulatedDriver.reset();
        EmulatedDriver.threaded(3, 50);
    }

    @AfterEach
    void nothingIsLeft()
    {
        for (final Count count : List.of(Count.DEVICE_ALLOCATIONS, Count.PINNED_ALLOCATIONS, Count.CONTEXTS))
        {
            assertEquals(0, EmulatedDriver.count(count), count.name());
        }
        EmulatedDriver.reset();
    }

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
