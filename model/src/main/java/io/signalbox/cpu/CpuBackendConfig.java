// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.model.forward.Precision;
import io.signalbox.serving.DraftScript;
import io.signalbox.serving.DraftSource;
import io.signalbox.serving.WeightVersion;

import java.nio.file.Path;
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
    public static final Setting<Optional<Path>> DRAFT_SCRIPT = DraftScript.FILE;
    public static final Setting<Optional<String>> WEIGHT_VERSION = WeightVersion.SETTING;
    public static final List<Setting<?>> SETTINGS = List.of(THREADS, PRECISION, DRAFT_SCRIPT, WEIGHT_VERSION);

    private SettingValues values = SettingValues.defaults("the CPU backend", SETTINGS);
    private DraftSource drafts;
    private int[] endTokens = {};
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

    /** A file with expected answers, which are fed as draft tokens; {@code null}, the default: none are. */
    public CpuBackendConfig draftScript(final Path value)
    {
        values = values.with(DRAFT_SCRIPT, Optional.ofNullable(value));
        return this;
    }

    /**
     * Version of the weights with which the backend starts, as {@link WeightVersion#of} makes it. With a version,
     * the weights can be replaced while the backend runs. {@code null}, the default: they cannot.
     */
    public CpuBackendConfig weightVersion(final String value)
    {
        values = values.with(WEIGHT_VERSION, Optional.ofNullable(value));
        return this;
    }

    /** Guesses the draft tokens in place of a script; {@code null}, the default: nothing does. */
    public CpuBackendConfig drafts(final DraftSource value)
    {
        drafts = value;
        return this;
    }

    /**
     * Tokens with which the model ends an answer, as {@code Checkpoint.endTokens} reads them; none by default. Each ends a
     * request that does not ignore them.
     */
    public CpuBackendConfig endTokens(final int... tokenIds)
    {
        endTokens = tokenIds.clone();
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
        return new CpuBackendConfig().threads(given.get(THREADS)).precision(given.get(PRECISION).orElse(null))
            .draftScript(given.get(DRAFT_SCRIPT).orElse(null)).weightVersion(given.get(WEIGHT_VERSION).orElse(null))
            .clock(clock);
    }

    int threads(final int processors, final int ranks)
    {
        final int given = values.get(THREADS);
        return given > 0 ? given : Math.max(1, processors / ranks);
    }

    /** @param own the precision of the model, used if the setting is absent. */
    Precision precisionOr(final Precision own)
    {
        return values.get(PRECISION).orElse(own);
    }

    /** {@code null} if the weights cannot be replaced. */
    String weightVersion()
    {
        return values.get(WEIGHT_VERSION).orElse(null);
    }

    boolean hasDrafts()
    {
        return drafts != null || values.get(DRAFT_SCRIPT).isPresent();
    }

    /**
     * The source of guesses; {@code null}: there is none. A script is read when it is first asked for.
     *
     * @throws io.signalbox.ConfigException if the script cannot be used.
     */
    DraftSource drafts()
    {
        if (drafts == null && hasDrafts())
        {
            drafts = DraftScript.read(values.get(DRAFT_SCRIPT).get());
        }
        return drafts;
    }

    int[] endTokens()
    {
        return endTokens;
    }

    LongSupplier clock()
    {
        return clock;
    }

    @Override
    public String toString()
    {
        return "CpuBackendConfig" + values;
    }
}
