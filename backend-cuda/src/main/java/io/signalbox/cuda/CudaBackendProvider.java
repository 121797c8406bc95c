// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.backend.Backend;
import io.signalbox.config.SettingValues;
import io.signalbox.cuda.driver.CudaAvailability;
import io.signalbox.cuda.driver.CudaDevice;
import io.signalbox.cuda.driver.CudaProbe;
import io.signalbox.cuda.kernel.KernelImage;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.forward.ForwardPass;
import io.signalbox.model.forward.Precision;
import io.signalbox.serving.BackendProvider;

import java.util.function.LongSupplier;

/** Declares the CUDA backend. */
public final class CudaBackendProvider extends BackendProvider
{
    public CudaBackendProvider()
    {
        super("cuda", "computes the model on NVIDIA GPUs, with the bits of the CPU backend", CudaBackendConfig.DEVICES,
            CudaBackendConfig.PRECISION, CudaBackendConfig.CAPTURE_FORM, CudaBackendConfig.MAX_GRAPH_TOKENS,
            CudaBackendConfig.STEPS_IN_FLIGHT, CudaBackendConfig.WAITING);
    }

    @Override
    public Backend create(final ModelWeights weights, final SettingValues values, final LongSupplier clock)
    {
        return new CudaBackend(new CudaBackendConfig().devices(values.get(CudaBackendConfig.DEVICES))
            .captureForm(values.get(CudaBackendConfig.CAPTURE_FORM).orElse(null))
            .maxGraphTokens(values.get(CudaBackendConfig.MAX_GRAPH_TOKENS))
            .stepsInFlight(values.get(CudaBackendConfig.STEPS_IN_FLIGHT))
            .waiting(values.get(CudaBackendConfig.WAITING)).clock(clock)
            .model(weights)
            .precision(values.get(CudaBackendConfig.PRECISION).orElse(null)));
    }

    @Override
    public String kernels(final DecoderPlan plan, final SettingValues values)
    {
        final Precision own = Precision.of(plan.type());
        return ForwardPass.ORDER_OF_SUMS + ", " + values.get(CudaBackendConfig.PRECISION).orElse(own) + ", CUDA kernels " +
            KernelImage.load().sourceHash();
    }

    /** The first device's; ranks on others are expected to run on the same kind. */
    @Override
    public String device(final SettingValues values)
    {
        final CudaAvailability found = new CudaProbe().probe();
        final int first = values.get(CudaBackendConfig.DEVICES).get(0);
        if (!found.ready() || first >= found.devices().size())
        {
            return "no GPU";
        }
        final CudaDevice device = found.devices().get(first);
        return device.name() + ", compute capability " + device.computeCapability();
    }
}
