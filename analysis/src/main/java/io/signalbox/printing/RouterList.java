// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.DocumentSchema;
import io.signalbox.JsonName;
import io.signalbox.config.Setting;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.DpRouters;

import java.io.PrintStream;
import java.util.List;

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

    /** The same declarations as a JSON document. */
    public static String json(final DpRouters routers)
    {
        return JsonDocument.text(new RouterDocument(routers.all().stream().map(router -> new Declared(router.label(),
            router.version(), router.summary(), router.withoutPrefixCaching().label(),
            router.knobs().stream().map(knob -> new Knob(knob.name(), knob.type(), knob.unit(), defaultOf(knob),
                knob.allowed(), knob.meaning())).toList())).toList()));
    }

    /**
     * {@code simulate --list-routers --json} and {@code compare --list-routers --json}. The routers of {@code --plugins} are
     * among them.
     *
     * @param routers routers, by label
     */
    @DocumentSchema("signalbox.routers/1")
    record RouterDocument(List<Declared> routers)
    {
    }

    /**
     * A router.
     *
     * @param label                name of the router, as {@code --router} accepts it
     * @param version              its version, which rises if any decision changes
     * @param summary              one line about it
     * @param withoutPrefixCaching label of the router that decides if requests share no prefixes: this one or its fallback
     * @param knobs                its knobs; some routers have none
     */
    record Declared(String label, int version, String summary, String withoutPrefixCaching, List<Knob> knobs)
    {
    }

    /**
     * A setting of a router.
     *
     * @param name         name of the knob, a setting for {@code --router-options}
     * @param type         kind of its values
     * @param unit         unit of its values; empty if it has none
     * @param defaultValue its default as text, in the form that {@code --router-options} accepts
     * @param allowed      its range or its values, in words
     * @param meaning      one sentence
     */
    record Knob(
        String name, String type, String unit, @JsonName("default") String defaultValue, String allowed, String meaning)
    {
    }

    private static <T> String defaultOf(final Setting<T> knob)
    {
        return knob.print(knob.defaultValue());
    }
}
