// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;

import java.util.List;

/**
 * Declares a router, with its label, version and knobs, and creates it. A provider is a public class with a public
 * constructor without parameters, and {@code META-INF/services/io.signalbox.router.DpRouterProvider} names it; no other
 * entry is needed. An embedder can also pass an instance to {@link RouterConfig#of(DpRouterProvider)}, without a service
 * entry.
 */
public abstract class DpRouterProvider
{
    public static final int MAX_LABEL_LENGTH = 64;
    private static final String GRAMMAR =
        "a lower-case letter followed by lower-case letters, digits and hyphens, at most " + MAX_LABEL_LENGTH;
    /** {@code --router all} names every router. */
    private static final String RESERVED = "all";

    private final String label;
    private final int version;
    private final String summary;
    private final List<Setting<?>> knobs;

    /**
     * @param label   the name on the command line, in run descriptions and in reports: lower-case letters, digits and
     *                hyphens.
     * @param version from 1; raise it when any decision changes. A journal is replayed with the version that wrote it.
     * @param summary one line for help and documents.
     * @param knobs   the settings that the router reads, in the order in which they are shown.
     * @throws ConfigException if label, version, summary or the names of the knobs are not allowed.
     */
    protected DpRouterProvider(final String label, final int version, final String summary, final Setting<?>... knobs)
    {
        this.label = requireLabel(label);
        this.version = version;
        this.summary = summary;
        this.knobs = List.of(knobs);
        if (version < 1)
        {
            throw ConfigException.of(
                "version of the router " + label, Integer.toString(version), "1 or more", "declare it from 1 on");
        }
        if (summary == null || summary.isBlank())
        {
            throw new ConfigException("the router " + label + " has no summary; declare it with one line.");
        }
        for (int i = 0; i < knobs.length; i++)
        {
            for (int j = 0; j < i; j++)
            {
                if (knobs[i].name().equals(knobs[j].name()))
                {
                    throw new ConfigException("the router " + label + " declares the knob " + knobs[i].name() +
                        " twice; declare it once.");
                }
            }
        }
    }

    private static String requireLabel(final String label)
    {
        boolean plain = label != null && !label.isEmpty() && label.length() <= MAX_LABEL_LENGTH &&
            label.charAt(0) >= 'a' && label.charAt(0) <= 'z' && !label.equals(RESERVED);
        for (int i = 0; plain && i < label.length(); i++)
        {
            final char c = label.charAt(i);
            plain = c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-';
        }
        if (!plain)
        {
            throw ConfigException.of("label of a router", label, GRAMMAR, "declare it under such a label, and not 'all'");
        }
        return label;
    }

    /**
     * Creates a router without state.
     *
     * @param values of the declared knobs.
     * @param ranks  number of DP ranks in every batch, 1 to 1,024.
     */
    public abstract DpRouter create(SettingValues values, int ranks);

    /**
     * The router that decides instead if requests share no prefixes; this one unless a router overrides it. It gets its
     * default knobs, and the journal marks each of its decisions.
     */
    public DpRouterProvider withoutPrefixCaching()
    {
        return this;
    }

    /** The name on the command line, in run descriptions and in reports. */
    public final String label()
    {
        return label;
    }

    public final int version()
    {
        return version;
    }

    /** One line for help and documents. */
    public final String summary()
    {
        return summary;
    }

    /** The settings that the router reads. */
    public final List<Setting<?>> knobs()
    {
        return knobs;
    }

    final SettingValues defaults()
    {
        return SettingValues.defaults("the " + label + " router", knobs);
    }

    @Override
    public final String toString()
    {
        return label;
    }
}
