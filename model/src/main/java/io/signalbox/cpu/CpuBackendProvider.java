// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.backend.Backend;
import io.signalbox.config.SettingValues;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.model.forward.ForwardPass;
import io.signalbox.model.forward.Precision;
import io.signalbox.serving.BackendProvider;

import java.util.function.LongSupplier;

/** Declares the CPU backend. */
public final class CpuBackendProvider extends BackendProvider
{
    private static final int MOST_PER_PROCESSOR = 4;

    public CpuBackendProvider()
    {
        super("cpu", "computes the model on the processor, bit for bit the same on every machine",
            CpuBackendConfig.THREADS, CpuBackendConfig.PRECISION, CpuBackendConfig.DRAFT_SCRIPT,
            CpuBackendConfig.WEIGHT_VERSION);
    }

    @Override
    public Backend create(final ModelWeights weights, final SettingValues values, final LongSupplier clock)
    {
        final CpuBackendConfig config = CpuBackendConfig.of(values, clock);
        // Before the model is copied.
        config.drafts();
        return new CpuBackend(ForwardModel.of(weights, precision(config, weights.plan())), config);
    }

    private static Precision precision(final CpuBackendConfig config, final DecoderPlan plan)
    {
        return config.precisionOr(Precision.of(plan.type()));
    }

    @Override
    public long weightBytes(final ModelWeights weights, final SettingValues values)
    {
        return precision(CpuBackendConfig.of(values, System::nanoTime), weights.plan()).weights(weights).bytes();
    }

    /** The last part never changes a bit. */
    @Override
    public String kernels(final DecoderPlan plan, final SettingValues values)
    {
        return ForwardPass.ORDER_OF_SUMS + ", " +
            precision(CpuBackendConfig.of(values, System::nanoTime), plan) + ", " + ForwardPass.arithmetic();
    }

    @Override
    public String device(final SettingValues values)
    {
        return "processor, " + System.getProperty("os.arch") + ", Java " + Runtime.version().feature();
    }

    @Override
    public String advice(final SettingValues values, final int ranks)
    {
        final int processors = Runtime.getRuntime().availableProcessors();
        final long threads = (long)values.get(CpuBackendConfig.THREADS) * ranks;
        return threads <= (long)MOST_PER_PROCESSOR * processors ? null : threads + " threads of " + ranks + " rank" +
            (ranks == 1 ? "" : "s") + " share " + processors + " processors, and hold one another up; threads=0 fits them.";
    }
}
