// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.model.WeightType;
import io.signalbox.model.forward.Precision;

import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Configuration of a {@link CpuBackend}. */
public final class CpuBackendConfig
{
    /** As many steps as a rank may have in flight. */
    static final int DEPTH = 4;

    public static final Setting<Integer> THREADS = Setting.integer("threads", "", 0, 0, 1024,
        "Threads that compute the steps of one rank; 0: the processors, shared by the ranks.");
    public static final Setting<Optional<Precision>> PRECISION = Setting.constant("precision", Precision.F32,
        "The arithmetic of values that the forward pass keeps between its sums.").orAbsent("that of the weights");
    public static final List<Setting<?>> SETTINGS = List.of(THREADS, PRECISION);

    private SettingValues values = SettingValues.defaults("the CPU backend", SETTINGS);
    private LongSupplier clock = System::nanoTime;

    /** Threads that compute the steps of one rank; 0, the default: the processors, shared by the ranks. */
    public CpuBackendConfig threads(final int value)
    {
        values = values.with(THREADS, value);
        return this;
    }

    /** The arithmetic of values between sums; {@code null}, the default: that of the weights. */
    public CpuBackendConfig precision(final Precision value)
    {
        values = values.with(PRECISION, Optional.ofNullable(value));
        return this;
    }

    /** Nanoseconds on the engine's origin. */
    public CpuBackendConfig clock(final LongSupplier value)
    {
        clock = value;
        return this;
    }

    static CpuBackendConfig of(final SettingValues given, final LongSupplier clock)
    {
        return new CpuBackendConfig().threads(given.get(THREADS)).precision(given.get(PRECISION).orElse(null)).clock(clock);
    }

    int threads(final int processors, final int ranks)
    {
        final int given = values.get(THREADS);
        return given > 0 ? given : Math.max(1, processors / ranks);
    }

    Precision precision(final WeightType type)
    {
        return values.get(PRECISION).orElse(Precision.of(type));
    }

    LongSupplier clock()
    {
        return clock;
    }
}
