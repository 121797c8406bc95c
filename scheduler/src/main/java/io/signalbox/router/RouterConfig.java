// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.ConfigException;
import io.signalbox.PluginFault;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.TreeMap;

/**
 * A router and a value for each of its knobs. Immutable: {@code RouterConfig.of("kv-aware").with("beta", 0.5)}.
 * {@link #settings()} and {@link #of(Map, DpRouters)} are inverse.
 */
public final class RouterConfig
{
    /** The setting that names the router in a run description. */
    public static final String LABEL = "router.label";
    /** The setting that names its fallback; only if it has one. */
    public static final String FALLBACK_LABEL = "router.fallback.label";
    private static final String PREFIX = "router.";
    private static final String FALLBACK = "router.fallback.";
    private static final String KNOB = "router.knob.";

    private static final Pattern LABEL_FORM = Pattern.compile("[a-z][a-z0-9-]*");
    /** The label of the router. */
    public static final Setting<String> ROUTER =
        Setting.form("label", "", "signalbox",
        "a lower-case letter followed by letters, digits and hyphens",
        text -> LABEL_FORM.matcher(text).matches() ? text : null, text -> text, "The router.").remedy("give a label")
        .option("--router", "LABEL", "Choose ranks with this router")
        .elsewhere("", "load_balance_method", "attention_dp_config");
    private static final Setting<Integer> VERSION = Setting.integer("version", "", 1, 1, Integer.MAX_VALUE,
        "Version of the router, as it declares it; another one does not replay the run.");
    /** Beside the knobs that the router declares. */
    public static final List<Setting<?>> SETTINGS = List.of(ROUTER, VERSION);

    private final DpRouterProvider provider;
    private final SettingValues knobs;

    private RouterConfig(final DpRouterProvider provider, final SettingValues knobs)
    {
        this.provider = provider;
        this.knobs = knobs;
    }

    /** Signalbox's own router with its default knobs. */
    public static RouterConfig standard()
    {
        return of(new SignalboxDpRouter.Provider());
    }

    /**
     * An installed router with its default knobs.
     *
     * @throws ConfigException if no installed router has this label.
     */
    public static RouterConfig of(final String label)
    {
        return of(DpRouters.installed().of(label));
    }

    /** A router with its default knobs; it needs no service entry. */
    public static RouterConfig of(final DpRouterProvider provider)
    {
        return new RouterConfig(provider, provider.defaults());
    }

    /**
     * The same with another value of one knob.
     *
     * @param value the value or its text.
     * @throws ConfigException if the router has no such knob, or the knob does not allow the value.
     */
    public RouterConfig with(final String knob, final Object value)
    {
        return new RouterConfig(provider, knobs.with(knob, value));
    }

    /** The same with another value of one knob. */
    public <T> RouterConfig with(final Setting<T> knob, final T value)
    {
        return with(knob.name(), value);
    }

    public String label()
    {
        return provider.label();
    }

    /** The declaration of the router. */
    public DpRouterProvider provider()
    {
        return provider;
    }

    /** A value for each knob of the router. */
    public SettingValues knobs()
    {
        return knobs;
    }

    /**
     * The declaration of the router that decides: the fallback of the configured one if that needs cached prefixes and
     * prefix caching is off.
     *
     * @param prefixCaching whether requests share prefixes.
     */
    public DpRouterProvider deciding(final boolean prefixCaching)
    {
        return prefixCaching ? provider : fallback(provider);
    }

    private static DpRouterProvider fallback(final DpRouterProvider provider)
    {
        final DpRouterProvider fallback;
        try
        {
            fallback = provider.withoutPrefixCaching();
        }
        catch (final Throwable e)
        {
            throw new RouterException(
                "cannot name its router without prefix caching (" + PluginFault.of(e) + ")", e).by(provider);
        }
        if (fallback == null)
        {
            throw new RouterException("names null as its router without prefix caching").by(provider);
        }
        return fallback;
    }

    /**
     * Creates the router of {@link #deciding}.
     *
     * @throws ConfigException if the router refuses its knobs or the number of ranks.
     * @throws RouterException if the router cannot be created.
     */
    public DpRouter router(final int ranks, final boolean prefixCaching)
    {
        final DpRouterProvider deciding = deciding(prefixCaching);
        final SettingValues values = deciding == provider ? knobs : deciding.defaults();
        final DpRouter router;
        try
        {
            router = deciding.create(values, ranks);
        }
        catch (final ConfigException e)
        {
            throw e;
        }
        catch (final Throwable e)
        {
            throw new RouterException("cannot be made (" + PluginFault.of(e) + ")", e).by(deciding);
        }
        if (router == null)
        {
            throw new RouterException("cannot be made (its maker returned null)").by(deciding);
        }
        return router;
    }

    /** Name and value of every setting, sorted by name. */
    public Map<String, String> settings()
    {
        final Map<String, String> settings = new TreeMap<>(knobs.print(KNOB));
        putRouter(settings, PREFIX, provider);
        final DpRouterProvider fallback = fallback(provider);
        if (fallback != provider)
        {
            putRouter(settings, FALLBACK, fallback);
        }
        return settings;
    }

    private static void putRouter(
        final Map<String, String> settings, final String prefix, final DpRouterProvider provider)
    {
        settings.put(prefix + ROUTER, ROUTER.print(provider.label()));
        settings.put(prefix + VERSION, VERSION.print(provider.version()));
    }

    /**
     * Reads what {@link #settings()} wrote; names of other objects are left alone.
     *
     * @throws AbsentRouterException if the router or its fallback is not one of these, or has another version.
     * @throws ConfigException       if a setting is missing or unknown, or has a value that is not allowed.
     */
    public static RouterConfig of(final Map<String, String> settings, final DpRouters routers)
    {
        final DpRouterProvider provider =
            routers.required(ROUTER.read(PREFIX, settings), VERSION.read(PREFIX, settings));
        final DpRouterProvider fallback = fallback(provider);
        if (settings.containsKey(FALLBACK_LABEL) || fallback != provider)
        {
            final String label = ROUTER.read(FALLBACK, settings);
            final int version = VERSION.read(FALLBACK, settings);
            if (!fallback.label().equals(label) || fallback.version() != version)
            {
                throw new AbsentRouterException("the run's fallback was version " + version + " of the router " + label +
                    ", and that of the installed router " + provider.label() + " is version " + fallback.version() +
                    " of " + fallback.label() + "; give the routers that wrote it with --plugins.");
            }
        }
        settings.keySet().forEach(RouterConfig::requireKnown);
        return new RouterConfig(provider, provider.defaults().read(KNOB, settings));
    }

    private static void requireKnown(final String name)
    {
        if (name.startsWith(PREFIX) && !name.startsWith(KNOB) && !name.startsWith(FALLBACK) &&
            SETTINGS.stream().noneMatch(setting -> name.equals(PREFIX + setting)))
        {
            throw new ConfigException("a router has no setting '" + name.substring(PREFIX.length()) +
                "'; read the run with the version of Signalbox that wrote it.");
        }
    }

    /** The label of the router that a run description names; the router need not be installed. */
    public static String label(final Map<String, String> settings)
    {
        return ROUTER.read(PREFIX, settings);
    }

    /** The label of the router that decided without prefix caching; {@link #label(Map)} if the router has no fallback. */
    public static String fallbackLabel(final Map<String, String> settings)
    {
        return settings.containsKey(FALLBACK_LABEL) ? ROUTER.read(FALLBACK, settings) : label(settings);
    }

    /** A run description with the standard router instead of the recorded one, for a reader that decides nothing. */
    public static Map<String, String> standardIn(final Map<String, String> settings)
    {
        final Map<String, String> changed = new TreeMap<>(settings);
        changed.keySet().removeIf(name -> name.startsWith(PREFIX));
        changed.putAll(standard().settings());
        return changed;
    }

    @Override
    public String toString()
    {
        return provider.label() + knobs;
    }
}
