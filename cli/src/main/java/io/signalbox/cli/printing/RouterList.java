// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.printing;

import io.signalbox.config.Setting;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.DpRouters;

import java.io.PrintStream;

/** The declarations of the routers: label, version, summary, and each knob with default, range and meaning. */
public final class RouterList
{
    private RouterList()
    {
    }

    public static void print(final PrintStream out, final DpRouters routers)
    {
        for (final DpRouterProvider router : routers.all())
        {
            out.printf("%-20s version %d%n    %s%n", router.label(), router.version(), router.summary());
            if (router.withoutPrefixCaching() != router)
            {
                out.printf("    Without prefix caching, %s decides.%n", router.withoutPrefixCaching().label());
            }
            for (final Setting<?> knob : router.knobs())
            {
                out.printf("    %-20s %s%n", knob.name() + "=" + defaultOf(knob), knob.meaning());
                out.printf("    %-20s %s%n", "", knob.allowed() + (knob.unit().isEmpty() ? "" : ", in " + knob.unit()));
            }
        }
    }

    private static <T> String defaultOf(final Setting<T> knob)
    {
        return knob.print(knob.defaultValue());
    }
}
