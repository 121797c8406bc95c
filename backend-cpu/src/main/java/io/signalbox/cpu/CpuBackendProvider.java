// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.backend.Backend;
import io.signalbox.config.SettingValues;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.serving.BackendProvider;

import java.util.function.LongSupplier;

/** Declares the CPU backend. */
public final class CpuBackendProvider extends BackendProvider
{
    public CpuBackendProvider()
    {
        super("cpu", "computes the model on the processor, bit for bit the same on every machine",
            CpuBackendConfig.THREADS, CpuBackendConfig.PRECISION);
    }

    @Override
    public Backend create(final ModelWeights weights, final SettingValues values, final LongSupplier clock)
    {
        return new CpuBackend(ForwardModel.of(weights), CpuBackendConfig.of(values, clock));
    }
}
