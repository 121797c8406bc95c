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
        "Version of the router with which the run began; a later one repeats its placements.");
    /** Beside the knobs that the router declares. */
    public static final List<Setting<?>> SETTINGS = List.of(ROUTER, VERSION);

    private final DpRouterProvider provider;
    private final SettingValues knobs;
    /** The versions with which the run began. */
    private final Versions begun;

    /** Of a router and of its fallback. */
    private record Versions(int router, int fallback)
    {
    }

    private RouterConfig(final DpRouterProvider provider, final SettingValues knobs, final Versions begun)
    {
        this.provider = provider;
        this.knobs = knobs;
        this.begun = begun;
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
        return new RouterConfig(provider, provider.defaults(), null);
    }

    /**
     * The same with another value of one knob.
     *
     * @param value the value or its text.
     * @throws ConfigException if the router has no such knob, or the knob does not allow the value.
     */
    public RouterConfig with(final String knob, final Object value)
    {
        return new RouterConfig(provider, knobs.with(knob, value), begun);
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

    /**
     * Version with which the router of {@link #deciding} began the run. If a later one is installed, placements are
     * repeated as they are recorded, up to the {@code RouterVersion} that names the installed one.
     */
    public int begunVersion(final boolean prefixCaching)
    {
        final DpRouterProvider deciding = deciding(prefixCaching);
        return begun == null ? deciding.version() : deciding == provider ? begun.router : begun.fallback;
    }

    /** The same for a run that begins: the installed version decides. */
    public RouterConfig installed()
    {
        return new RouterConfig(provider, knobs, null);
    }

    /**
     * The same for an engine that continues a run, which an earlier version of the router may have begun.
     *
     * @param settings the run description.
     * @throws ConfigException if the run had another router or another value of a knob, or if a later version began it.
     */
    public RouterConfig begunAs(final Map<String, String> settings)
    {
        final RouterConfig recorded = read(settings, provider);
        final Map<String, String> then = recorded.knobs.print(KNOB);
        knobs.print(KNOB).forEach((name, now) ->
        {
            if (!now.equals(then.get(name)))
            {
                throw ConfigException.because("the run has ", new ConfigException.Named(name, then.get(name)),
                        ", but the engine that is to continue it has ", new ConfigException.Named(name, now))
                    .allowed(then.get(name)).remedy("give the engine that value, or begin a new run in another directory");
            }
        });
        return recorded;
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
        putRouter(settings, PREFIX, provider, begun == null ? provider.version() : begun.router);
        final DpRouterProvider fallback = fallback(provider);
        if (fallback != provider)
        {
            putRouter(settings, FALLBACK, fallback, begun == null ? fallback.version() : begun.fallback);
        }
        return settings;
    }

    private static void putRouter(
        final Map<String, String> settings, final String prefix, final DpRouterProvider provider, final int version)
    {
        settings.put(prefix + ROUTER, ROUTER.print(provider.label()));
        settings.put(prefix + VERSION, VERSION.print(version));
    }

    /**
     * Reads what {@link #settings()} wrote; names of other objects are left alone.
     *
     * @throws AbsentRouterException if the router or its fallback is not one of these, or has an earlier version.
     * @throws ConfigException       if a setting is missing or unknown, or has a value that is not allowed.
     */
    public static RouterConfig of(final Map<String, String> settings, final DpRouters routers)
    {
        return read(settings, routers.required(ROUTER.read(PREFIX, settings), VERSION.read(PREFIX, settings)));
    }

    /** @param provider of the router that the settings name. */
    private static RouterConfig read(final Map<String, String> settings, final DpRouterProvider provider)
    {
        final DpRouterProvider fallback = fallback(provider);
        int fallbackVersion = fallback.version();
        if (settings.containsKey(FALLBACK_LABEL) || fallback != provider)
        {
            final String label = ROUTER.read(FALLBACK, settings);
            fallbackVersion = VERSION.read(FALLBACK, settings);
            if (!fallback.label().equals(label) || fallback.version() < fallbackVersion)
            {
                throw new AbsentRouterException("the run's fallback was version " + fallbackVersion + " of the router " +
                    label + ", and that of the installed router " + provider.label() + " is version " + fallback.version() +
                    " of " + fallback.label() + "; give the routers that wrote it with --plugins.");
            }
        }
        settings.keySet().forEach(RouterConfig::requireKnown);
        return new RouterConfig(provider, provider.defaults().read(KNOB, settings),
            new Versions(VERSION.read(PREFIX, settings), fallbackVersion));
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

    /**
     * Whether an engine with another value of a setting continues a run: versions of the router and its fallback may rise,
     * and a later version may have further knobs.
     *
     * @param recorded the run description.
     * @param wanted   the one of the engine.
     */
    public static boolean mayDiffer(
        final String name, final Map<String, String> recorded, final Map<String, String> wanted)
    {
        return name.equals(PREFIX + VERSION) ? rises(PREFIX, recorded, wanted) :
            name.equals(FALLBACK + VERSION) ? rises(FALLBACK, recorded, wanted) :
            name.startsWith(KNOB) && !recorded.containsKey(name) && rises(PREFIX, recorded, wanted);
    }

    private static boolean rises(
        final String prefix, final Map<String, String> recorded, final Map<String, String> wanted)
    {
        return recorded.containsKey(prefix + VERSION) && wanted.containsKey(prefix + VERSION) &&
            VERSION.read(prefix, recorded) < VERSION.read(prefix, wanted);
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
