// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.PluginFault;
import io.signalbox.backend.RankSizes;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelWeights;
import io.signalbox.recompute.RecordedModel;
import io.signalbox.serving.BackendMemory;
import io.signalbox.serving.BackendProvider;
import io.signalbox.serving.ModelBackend;
import io.signalbox.serving.WeightVersion;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** A backend that computes a model, with values of its knobs. */
public final class ChosenBackend
{
    public static final String KERNELS = "run.kernels";
    public static final String DEVICE = "run.device";

    private static final String OPTIONS = "--backend-options";
    /** In a run description. */
    private static final String KNOBS = RecordedModel.BACKEND + ".";

    private final BackendProvider provider;
    private final SettingValues values;

    private ChosenBackend(final BackendProvider provider, final SettingValues values)
    {
        this.provider = provider;
        this.values = values;
    }

    /**
     * @param knobs   each {@code NAME=VALUE}.
     * @param plugins jars whose backends are known beside the installed ones.
     */
    static ChosenBackend of(final String label, final List<String> knobs, final List<String> plugins)
    {
        final BackendProvider provider = Plugins.backends(plugins).of(label);
        return new ChosenBackend(provider, with(provider.defaults(), knobs));
    }

    /**
     * The backend of a run description.
     *
     * @param label replaces the recorded one; {@code null}: the recorded one. Recorded knobs of another one do not count.
     * @param knobs replace recorded ones.
     */
    static ChosenBackend recorded(
        final Map<String, String> description, final String label, final List<String> knobs, final List<String> plugins)
    {
        final String recorded = RecordedModel.backend(description);
        if (label == null && recorded == null)
        {
            throw new ConfigException("the journal does not name the backend of its run; give one with --backend.");
        }
        final BackendProvider provider = Plugins.backends(plugins).of(label == null ? recorded : label);
        SettingValues values = provider.defaults();
        for (final Setting<?> setting : provider.knobs())
        {
            final String value = description.get(KNOBS + setting.name());
            if (value != null && provider.label().equals(recorded))
            {
                values = values.with(setting.name(), value);
            }
        }
        return new ChosenBackend(provider, with(values, knobs));
    }

    /**
     * Checks the files of recorded knobs: a recomputation reads a file that a recorded knob names.
     *
     * @param output {@code null} if the report is not written to a file.
     * @throws ConfigException if the output is such a file.
     */
    public static void requireNotRead(final Map<String, String> description, final String option, final Path output)
    {
        description.forEach((name, value) ->
        {
            if (output != null && name.startsWith(KNOBS))
            {
                CommandFiles.requireOther(option, output, "the recorded " + name.substring(KNOBS.length()), value);
            }
        });
    }

    private static SettingValues with(final SettingValues base, final List<String> knobs)
    {
        SettingValues values = base;
        final Set<String> given = new HashSet<>();
        for (final String knob : knobs)
        {
            final int equals = knob.indexOf('=');
            if (equals < 1)
            {
                throw new ConfigException(OPTIONS + " has '" + knob + "', which is no NAME=VALUE; give such as threads=2.");
            }
            final String name = knob.substring(0, equals).strip();
            if (!given.add(name))
            {
                throw new ConfigException(OPTIONS + " gives " + name + " twice; give each knob once.");
            }
            try
            {
                values = values.with(name, knob.substring(equals + 1).strip());
            }
            catch (final ConfigException e)
            {
                throw e.at(OPTIONS);
            }
        }
        return values;
    }

    /** The same backend with replaceable weights if it supports them; its first weights get a version. */
    public ChosenBackend replaceable()
    {
        final Setting<?> version = WeightVersion.SETTING;
        return !provider.knobs().contains(version) ? this :
            new ChosenBackend(provider, values.with(version.name(), "generation-0"));
    }

    /**
     * A backend that was not started; its clock is that of the engine.
     *
     * @param endTokens end each answer whose request does not ignore them.
     */
    public ModelBackend create(final ModelWeights weights, final LongSupplier clock, final int... endTokens)
    {
        return provider.make(weights, values, clock, endTokens);
    }

    /** A plug-in can throw any error. */
    private <T> T guarded(final String what, final Supplier<T> call)
    {
        try
        {
            return call.get();
        }
        catch (final ConfigException e)
        {
            throw e;
        }
        catch (final Throwable e)
        {
            throw fault("threw " + PluginFault.of(e), what);
        }
    }

    private <T> T named(final String what, final T answer)
    {
        if (answer == null)
        {
            throw fault("returned null", what);
        }
        return answer;
    }

    private ConfigException fault(final String fault, final String what)
    {
        return new ConfigException("the backend " + provider.label() + " " + fault + " when it was asked for " + what +
            "; report it to the author of the backend, or use another one.");
    }

    /** How it computes, in words. */
    public String kernels(final DecoderPlan plan)
    {
        return named("its kernels", guarded("its kernels", () -> provider.kernels(plan, values)));
    }

    /** The device on which it computes. */
    public String device()
    {
        return named("its device", guarded("its device", () -> provider.device(values)));
    }

    /**
     * The memory that it takes on devices; empty: it computes on the heap.
     *
     * @throws ConfigException if there is no such device.
     */
    public List<BackendMemory> memory(
        final ModelWeights weights, final int ranks, final RankSizes sizes, final ModelShape shape)
    {
        return named("its memory", guarded("its memory", () -> provider.memory(weights, values, ranks, sizes, shape)));
    }

    /** Bytes of the weights as it loads them. */
    public long weightBytes(final ModelWeights weights)
    {
        return guarded("the size of its weights", () -> provider.weightBytes(weights, values));
    }

    /** Advice on the knobs for so many ranks; {@code null}: none. */
    public String advice(final int ranks)
    {
        return guarded("advice", () -> provider.advice(values, ranks));
    }

    /** The backend in a run description. */
    public Map<String, String> settings(final DecoderPlan plan)
    {
        final Map<String, String> settings = values.print(KNOBS);
        settings.put(RecordedModel.BACKEND, provider.label());
        settings.put(KERNELS, kernels(plan));
        settings.put(DEVICE, device());
        return settings;
    }
}
