// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.config.DoubleText;
import io.signalbox.config.NumberText;
import io.signalbox.config.Setting;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.DpRouters;
import io.signalbox.router.RouterConfig;
import picocli.CommandLine.Option;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The router of the ranks with its knobs. */
abstract class RouterOptions implements SettingGroup
{
    private static final String BETA = "beta";
    private static final Pattern WORD = Pattern.compile("[A-Za-z][A-Za-z0-9_-]*");

    @Option(names = "--router-options", paramLabel = "NAME=VALUE", split = ",",
        description = "Set knobs of the router, such as reuseWeight=2,backlog=65536; 'simulate --list-routers' shows them.")
    private List<String> routerOptions = List.of();

    @Option(names = "--beta", paramLabel = "WEIGHT",
        description = "Weigh the load term of the kv-aware scores, 0 to 1e12 (default: 1.0).")
    private Double beta;

    private final SettingOptions router =
        SettingOptions.of(List.of(RouterConfig.ROUTER)).completed(RouterConfig.ROUTER, new Labels())
            .helped(RouterConfig.ROUTER, "Choose ranks with this router, or one of --plugins: ${COMPLETION-CANDIDATES}");

    /** The option that chooses the router. */
    final SettingOptions router()
    {
        return router;
    }

    /** The router that is given, with its knobs; if none is given, another one with these knobs. */
    final RouterConfig chosen(final RouterConfig otherwise, final DpRouters known)
    {
        final String label = router.text(RouterConfig.ROUTER);
        final RouterConfig chosen =
            label == null || label.equals(otherwise.label()) ? otherwise : RouterConfig.of(known.of(label));
        return withKnobs(List.of(chosen), known).get(0);
    }

    /** Takes over what is given in the other options and not in these. */
    final void inherit(final RouterOptions other)
    {
        router.inherit(other.router);
        routerOptions = routerOptions.isEmpty() ? other.routerOptions : routerOptions;
        beta = beta == null ? other.beta : beta;
    }

    /** Whether the router or one of its knobs is given. */
    final boolean isRouterGiven()
    {
        return router.isGiven(RouterConfig.ROUTER) || !routerOptions.isEmpty() || beta != null;
    }

    /** The installed routers by name. */
    private static final class Labels implements Iterable<String>
    {
        @Override
        public Iterator<String> iterator()
        {
            return DpRouters.installed().all().stream().map(DpRouterProvider::label).iterator();
        }
    }

    /**
     * The routers with the knobs that {@code --beta} and {@code --router-options} set.
     *
     * @param chosen those that may decide; a knob that none of them reads is refused.
     * @param known  those of which some have the knob.
     */
    final List<RouterConfig> withKnobs(final List<RouterConfig> chosen, final DpRouters known)
    {
        final Map<String, String> turned = new LinkedHashMap<>();
        for (final String option : routerOptions)
        {
            final int end = option.indexOf('=');
            final String knob = end < 0 ? option : option.substring(0, end);
            if (end < 0)
            {
                throw new ConfigException("--router-options: '" + option + "' is not NAME=VALUE; give the knob a value.");
            }
            requireRead(knob, chosen, known);
            requireValue(knob, option.substring(end + 1));
            if (knob.equals(BETA) && beta != null)
            {
                throw new ConfigException("--router-options names beta, which --beta gives as well; give it one value.");
            }
            if (turned.put(knob, option.substring(end + 1)) != null)
            {
                throw new ConfigException("--router-options names " + knob + " twice; give it one value.");
            }
        }
        List<RouterConfig> configs = chosen;
        for (final Map.Entry<String, String> knob : turned.entrySet())
        {
            configs = withOption(configs, knob.getKey(), knob.getValue());
        }
        return beta == null ? configs : withBeta(configs);
    }

    private List<RouterConfig> withBeta(final List<RouterConfig> configs)
    {
        if (!knobs(configs).contains(BETA))
        {
            throw new ConfigException("--beta weighs the scores of the kv-aware routers, and another one is chosen; " +
                "leave it out, or change the other.");
        }
        return with(configs, BETA, DoubleText.of(beta));
    }

    private static List<RouterConfig> withOption(
        final List<RouterConfig> configs, final String knob, final String value)
    {
        try
        {
            return with(configs, knob, value);
        }
        catch (final ConfigException e)
        {
            throw e.renamed(setting -> "--router-options " + setting);
        }
    }

    /** Gives the value to each router that has the knob. */
    private static List<RouterConfig> with(final List<RouterConfig> configs, final String knob, final String value)
    {
        return configs.stream().map(config -> knobs(List.of(config)).contains(knob) ? config.with(knob, value) : config)
            .toList();
    }

    /** A number of the options' grammar, or a word; the knob itself knows which words. */
    private static void requireValue(final String knob, final String value)
    {
        if (!NumberText.isNumber(value) && !WORD.matcher(value).matches())
        {
            throw new ConfigException("--router-options: " + knob + (value.isBlank() ? " has no value" : " has the value '" +
                value + "', which is neither a number nor a word") + "; give it one, such as " + knob + "=2.");
        }
    }

    private static void requireRead(final String knob, final List<RouterConfig> chosen, final DpRouters known)
    {
        final List<String> read = knobs(chosen);
        if (read.contains(knob))
        {
            return;
        }
        final List<String> all = names(known.all().stream());
        if (!all.contains(knob))
        {
            throw new ConfigException("--router-options names '" + knob + "', which is no knob of a router; give some of " +
                String.join(", ", read.isEmpty() ? all : read) + ".");
        }
        final String deciding = chosen.size() == 1 ? "the " + chosen.get(0).label() + " router does not read" :
            "none of the compared routers reads";
        throw new ConfigException("--router-options names " + knob + ", which " + deciding + "; " +
            (read.isEmpty() ? "leave it out." : "give some of " + String.join(", ", read) + "."));
    }

    private static List<String> knobs(final List<RouterConfig> configs)
    {
        return names(configs.stream().map(RouterConfig::provider));
    }

    private static List<String> names(final Stream<DpRouterProvider> providers)
    {
        return providers.flatMap(provider -> provider.knobs().stream()).map(Setting::name).distinct().sorted().toList();
    }
}
