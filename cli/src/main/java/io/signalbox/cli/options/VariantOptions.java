// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.SchedulerConfig;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;

/** The variants of a recorded run. */
public final class VariantOptions
{
    static final String OPTION = "--variant";
    private static final String UNNAMED = "changed";

    @Option(names = OPTION, paramLabel = "'NAME: OPTIONS'",
        description = "Add a variant with these scheduler options, such as 'half: --kv-blocks 32768'; may be repeated " +
            "(default: one variant, 'changed', if scheduler options are given).")
    private List<String> variants = List.of();

    /** A variant before the recorded configuration is known. */
    public record Named(String name, List<String> arguments)
    {
        /** @throws ConfigException that names the variant if its options are wrong. */
        public SchedulerConfig change(final SchedulerConfig recorded, final DpRouters routers)
        {
            try
            {
                return ChangedScheduler.change(recorded, routers, arguments);
            }
            catch (final ConfigException e)
            {
                throw name.equals(UNNAMED) ? e : e.at(OPTION + " " + name);
            }
        }
    }

    /**
     * The variants with their options.
     *
     * @param shared options of every variant, one argument each; an option of the variant replaces the shared one.
     */
    public List<Named> asked(final List<String> shared)
    {
        if (variants.isEmpty())
        {
            return shared.isEmpty() ? List.of() : List.of(new Named(UNNAMED, shared));
        }
        final List<Named> asked = new ArrayList<>();
        for (final String variant : variants)
        {
            final int colon = variant.indexOf(':');
            final String name = colon < 0 ? "" : variant.substring(0, colon).strip();
            if (name.isEmpty() || name.startsWith("-"))
            {
                throw new ConfigException(OPTION + "='" + variant + "' has no name before a colon; give it one, such as " +
                    "'half: --kv-blocks 32768'.");
            }
            asked.add(new Named(name, arguments(shared, variant.substring(colon + 1).strip())));
        }
        return asked;
    }

    private static List<String> arguments(final List<String> shared, final String own)
    {
        final List<String> arguments = new ArrayList<>(own.isEmpty() ? List.of() : List.of(own.split("\\s+")));
        final List<String> names = arguments.stream().map(VariantOptions::nameOf).toList();
        shared.stream().filter(argument -> !names.contains(nameOf(argument))).forEach(arguments::add);
        return arguments;
    }

    private static String nameOf(final String argument)
    {
        final int end = argument.indexOf('=');
        return end < 0 ? argument : argument.substring(0, end);
    }
}
