// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import io.signalbox.router.DpRouter;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.RouterSnapshot;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Gives each knob of a router the ends of its range, and texts that are outside. */
final class KnobTrial
{
    private static final List<String> ODD = List.of("", "0", "1", "-1", "0.5", "1e300", "-0.0", "NaN", "Infinity", "true",
        "false", "x", "2147483648", "9223372036854775807", "9223372036854775808", "１");
    private static final Pattern NUMBER = Pattern.compile("-?\\d+(?:\\.\\d+)?(?:E-?\\d+)?");
    private static final int ROUNDS = 3;

    private KnobTrial()
    {
    }

    /** The first fault, in words that follow "the router", or null. */
    static String fault(final RouterConfig config)
    {
        String fault = null;
        for (final Setting<?> knob : config.provider().knobs())
        {
            for (final String text : texts(knob))
            {
                fault = fault == null ? fault(config, knob, text) : fault;
            }
        }
        return fault;
    }

    private static <T> Set<String> texts(final Setting<T> knob)
    {
        final Set<String> texts = new LinkedHashSet<>(ODD);
        texts.add(knob.print(knob.defaultValue()));
        final Matcher bounds = NUMBER.matcher(knob.allowed());
        while (bounds.find())
        {
            final String bound = bounds.group();
            texts.add(bound);
            final boolean whole = bound.matches("-?\\d{1,17}");
            texts.add(whole ? Long.toString(Long.parseLong(bound) + 1) : Double.toString(Double.parseDouble(bound) * 2));
            texts.add(whole ? Long.toString(Long.parseLong(bound) - 1) : Double.toString(Double.parseDouble(bound) / 2));
        }
        texts.addAll(List.of(knob.allowed().replaceFirst("^one of ", "").split(", ")));
        return texts;
    }

    private static <T> String fault(final RouterConfig config, final Setting<T> knob, final String text)
    {
        final T value;
        try
        {
            value = knob.parse(text);
        }
        catch (final ConfigException e)
        {
            return e.getMessage().contains(knob.name()) ? null : "refuses '" + text + "' for its knob " + knob.name() +
                " with a sentence that does not name the knob: " + e.getMessage();
        }
        final String printed = knob.print(value);
        if (!knob.print(knob.parse(printed)).equals(printed))
        {
            return "reads another value than '" + printed + "' from what its knob " + knob.name() + " prints";
        }
        final String fault = RouterTrial.fault(config.with(knob.name(), text), 1, ROUNDS);
        return fault == null ? null : fault + " (with " + knob.name() + "=" + printed + ", which the knob allows)";
    }

    /** A router with the state of the snapshot; null if it was refused. */
    static DpRouter restored(final RouterConfig config, final byte[] snapshot, final int ranks)
    {
        try
        {
            final DpRouter router = config.router(ranks, true);
            RouterSnapshot.restore(snapshot, config.provider(), router, ranks);
            return router;
        }
        catch (final ConfigException e)
        {
            return null;
        }
    }
}
