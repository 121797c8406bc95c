// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.backend.Backend;
import io.signalbox.backend.RankSizes;
import io.signalbox.config.SettingValues;
import io.signalbox.cuda.driver.CudaAvailability;
import io.signalbox.cuda.driver.CudaDevice;
import io.signalbox.cuda.driver.CudaProbe;
import io.signalbox.cuda.kernel.KernelImage;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.forward.Precision;
import io.signalbox.serving.BackendMemory;
import io.signalbox.serving.BackendProvider;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Declares the CUDA backend. */
public final class CudaBackendProvider extends BackendProvider
{
    public CudaBackendProvider()
    {
        super("cuda", "computes the model on NVIDIA GPUs, with the bits of the CPU backend", CudaBackendConfig.DEVICES,
            CudaBackendConfig.PRECISION, CudaBackendConfig.KERNEL_FAMILY, CudaBackendConfig.CAPTURE_FORM,
            CudaBackendConfig.MAX_GRAPH_TOKENS, CudaBackendConfig.STEPS_IN_FLIGHT, CudaBackendConfig.WAITING,
            CudaBackendConfig.DRAFT_SCRIPT, CudaBackendConfig.WEIGHT_VERSION);
    }

    @Override
    public Backend create(final ModelWeights weights, final SettingValues values, final LongSupplier clock)
    {
        return new CudaBackend(config(weights, values).clock(clock));
    }

    private static CudaBackendConfig config(final ModelWeights weights, final SettingValues values)
    {
        return new CudaBackendConfig().devices(values.get(CudaBackendConfig.DEVICES))
            .captureForm(values.get(CudaBackendConfig.CAPTURE_FORM).orElse(null))
            .maxGraphTokens(values.get(CudaBackendConfig.MAX_GRAPH_TOKENS))
            .stepsInFlight(values.get(CudaBackendConfig.STEPS_IN_FLIGHT))
            .waiting(values.get(CudaBackendConfig.WAITING))
            .draftScript(values.get(CudaBackendConfig.DRAFT_SCRIPT).orElse(null))
            .weightVersion(values.get(CudaBackendConfig.WEIGHT_VERSION).orElse(null))
            .model(weights)
            .kernelFamily(values.get(CudaBackendConfig.KERNEL_FAMILY))
            .precision(values.get(CudaBackendConfig.PRECISION).orElse(null));
    }

    @Override
    public long weightBytes(final ModelWeights weights, final SettingValues values)
    {
        return config(weights, values).decoder().weights().bytes();
    }

    /** All memory of a device counts as available: what others have taken of it is known when the backend starts. */
    @Override
    public List<BackendMemory> memory(
        final ModelWeights weights, final SettingValues values, final int ranks, final RankSizes sizes,
        final ModelShape shape)
    {
        final CudaBackendConfig config = config(weights, values);
        config.sized(sizes);
        final CudaAvailability found = new CudaProbe().probe();
        CudaBackend.checkDevices(config, found);
        final List<BackendMemory> memory = new ArrayList<>();
        for (final int ordinal : config.devicesOf(ranks))
        {
            final CudaDevice device = found.devices().get(ordinal);
            memory.add(DeviceBudget.of(config, ordinal, ranks, shape)
                .on("GPU " + ordinal + " (" + device.name() + ")", device.memoryBytes()));
        }
        return memory;
    }

    @Override
    public String kernels(final DecoderPlan plan, final SettingValues values)
    {
        final Precision own = Precision.of(plan.type());
        return values.get(CudaBackendConfig.KERNEL_FAMILY).orderOfSums() + ", " +
            values.get(CudaBackendConfig.PRECISION).orElse(own) + ", CUDA kernels " + KernelImage.load().sourceHash();
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
