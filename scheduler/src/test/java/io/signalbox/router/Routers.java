// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;

import java.util.List;
import java.util.Random;

/** The installed routers, with knobs that tests turn. */
public final class Routers
{
    /** Values of every kind of knob; those that a knob does not allow are passed over. */
    private static final List<String> VALUES =
        List.of("0", "1", "2", "3", "0.25", "0.75", "1.5", "40", "500", "true", "false", "round_robin", "least_queued");

    private Routers()
    {
    }

    public static List<DpRouterProvider> all()
    {
        return DpRouters.installed().all();
    }

    public static DpRouterProvider any(final Random random)
    {
        return all().get(random.nextInt(all().size()));
    }

    static DpRouter of(final DpRouterProvider provider, final int ranks)
    {
        return RouterConfig.of(provider).router(ranks, true);
    }

    public static DpRouter of(final String label, final int ranks)
    {
        return of(DpRouters.installed().of(label), ranks);
    }

    /** The value for a router that declares the knob; others stay as they are. */
    static RouterConfig with(final RouterConfig config, final String knob, final Object value)
    {
        final boolean declared = config.provider().knobs().stream().anyMatch(setting -> setting.name().equals(knob));
        return declared ? config.with(knob, value) : config;
    }

    /** Every knob as it is, or at a random value. */
    public static RouterConfig random(final DpRouterProvider provider, final Random random)
    {
        RouterConfig config = RouterConfig.of(provider);
        for (final Setting<?> knob : provider.knobs())
        {
            final String value = VALUES.get(random.nextInt(VALUES.size()));
            config = random.nextInt(3) > 0 && allows(knob, value) ? config.with(knob.name(), value) : config;
        }
        return config;
    }

    private static boolean allows(final Setting<?> knob, final String value)
    {
        try
        {
            knob.parse(value);
            return true;
        }
        catch (final ConfigException e)
        {
            return false;
        }
    }
}
