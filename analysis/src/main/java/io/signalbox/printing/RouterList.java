// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.config.Setting;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.DpRouters;

import java.io.IOException;
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

    /** The same declarations as a JSON document. */
    public static String json(final DpRouters routers)
    {
        return Json.text("signalbox.routers/1", json ->
        {
            json.writeArrayFieldStart("routers");
            for (final DpRouterProvider router : routers.all())
            {
                json.writeStartObject();
                json.writeStringField("label", router.label());
                json.writeNumberField("version", router.version());
                json.writeStringField("summary", router.summary());
                json.writeStringField("withoutPrefixCaching", router.withoutPrefixCaching().label());
                json.writeArrayFieldStart("knobs");
                for (final Setting<?> knob : router.knobs())
                {
                    knob(json, knob);
                }
                json.writeEndArray();
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    private static void knob(final JsonGenerator json, final Setting<?> knob) throws IOException
    {
        json.writeStartObject();
        json.writeStringField("name", knob.name());
        json.writeStringField("type", knob.type());
        json.writeStringField("unit", knob.unit());
        json.writeStringField("default", defaultOf(knob));
        json.writeStringField("allowed", knob.allowed());
        json.writeStringField("meaning", knob.meaning());
        json.writeEndObject();
    }

    private static <T> String defaultOf(final Setting<T> knob)
    {
        return knob.print(knob.defaultValue());
    }
}
