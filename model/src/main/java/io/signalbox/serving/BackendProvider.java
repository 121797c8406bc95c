// SPDX-License-Identifier: Apache-2.0
package io.signalbox.serving;

import io.signalbox.ConfigException;
import io.signalbox.backend.Backend;
import io.signalbox.backend.RankSizes;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelWeights;

import java.util.List;
import java.util.function.LongSupplier;

/**
 * Declares a backend that computes a model, with its label and knobs, and creates it. A provider is a public class with a
 * public constructor without parameters, and {@code META-INF/services/io.signalbox.serving.BackendProvider} names it;
 * no other entry is needed.
 */
public abstract class BackendProvider
{
    /** Of a backend that names neither its kernels nor its device. */
    private static final String UNNAMED = "not named";
    private static final String GRAMMAR = "a lower-case letter followed by lower-case letters, digits and hyphens";

    private final String label;
    private final String summary;
    private final List<Setting<?>> knobs;

    /**
     * @param label   the name on the command line, in run descriptions and in reports: lower-case letters, digits and
     *                hyphens.
     * @param summary one line for help and documents.
     * @param knobs   the settings that the backend reads, in the order in which they are shown.
     * @throws ConfigException if the label or the summary is not allowed.
     */
    protected BackendProvider(final String label, final String summary, final Setting<?>... knobs)
    {
        if (label == null || !label.matches("[a-z][a-z0-9-]*"))
        {
            throw ConfigException.of("label of a backend", label, GRAMMAR, "declare it under such a label");
        }
        if (summary == null || summary.isBlank())
        {
            throw new ConfigException("the backend " + label + " has no summary; declare it with one line.");
        }
        this.label = label;
        this.summary = summary;
        this.knobs = List.of(knobs);
    }

    /**
     * Creates a backend that was not started.
     *
     * @param values of the declared knobs.
     * @param clock  the engine's, in nanoseconds.
     * @throws ConfigException if the backend cannot compute the model, or lacks memory or a device.
     */
    public abstract Backend create(ModelWeights weights, SettingValues values, LongSupplier clock);

    /**
     * Creates a backend that was not started, and whose exceptions name it.
     *
     * @param endTokens of the model, as {@code Checkpoint.endTokens} reads them, for a backend that declares none.
     * @throws ConfigException as {@link #create} does, and if the provider throws anything else or returns {@code null}.
     */
    public final ModelBackend make(
        final ModelWeights weights, final SettingValues values, final LongSupplier clock, final int... endTokens)
    {
        return GuardedBackend.of(label, endTokens, () -> create(weights, values, clock));
    }

    /**
     * How the backend computes, in words that differ if its results may: the order of its sums, its precision, the
     * implementation. A run description keeps it, and a recomputation says whether it is the same.
     *
     * @param values of the declared knobs.
     */
    public String kernels(final DecoderPlan plan, final SettingValues values)
    {
        return UNNAMED;
    }

    /**
     * The device on which the backend computes, such as the model of a GPU with its driver; kept and compared like
     * {@link #kernels}.
     *
     * @param values of the declared knobs.
     */
    public String device(final SettingValues values)
    {
        return UNNAMED;
    }

    /**
     * Bytes of the weights as the backend loads them. The default is the size of {@code weights}; a backend that rounds them
     * overrides it.
     *
     * @param values the values of the declared knobs.
     */
    public long weightBytes(final ModelWeights weights, final SettingValues values)
    {
        return weights.bytes();
    }

    /**
     * The memory that the backend takes on each of its devices, known before any of it is taken. Empty, as it is unless a
     * backend says otherwise: the backend computes on the Java heap.
     *
     * @param values of the declared knobs.
     * @param sizes  of each rank.
     * @param shape  of captured rows; {@code null}: none are.
     * @throws ConfigException if there is no such device.
     */
    public List<BackendMemory> memory(
        final ModelWeights weights, final SettingValues values, final int ranks, final RankSizes sizes,
        final ModelShape shape)
    {
        return List.of();
    }

    /**
     * One sentence for a user whose knobs are allowed and unwise, such as threads without processors; {@code null}: none.
     *
     * @param values of the declared knobs.
     */
    public String advice(final SettingValues values, final int ranks)
    {
        return null;
    }

    /** The name on the command line, in run descriptions and in reports. */
    public final String label()
    {
        return label;
    }

    /** One line for help and documents. */
    public final String summary()
    {
        return summary;
    }

    /** The settings that the backend reads. */
    public final List<Setting<?>> knobs()
    {
        return knobs;
    }

    /** All knobs at their defaults. */
    public final SettingValues defaults()
    {
        return SettingValues.defaults("the " + label + " backend", knobs);
    }

    @Override
    public final String toString()
    {
        return label;
    }
}
