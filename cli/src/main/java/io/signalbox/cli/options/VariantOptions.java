// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.SchedulerConfig;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

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
    public record Named(String name, ChangedScheduler options)
    {
        /** @throws ConfigException that names the variant if its options do not fit the recorded run. */
        public SchedulerConfig change(final SchedulerConfig recorded, final DpRouters routers)
        {
            return VariantOptions.named(name, () -> options.change(recorded, routers));
        }
    }

    private static <T> T named(final String variant, final Supplier<T> reading)
    {
        try
        {
            return reading.get();
        }
        catch (final ConfigException e)
        {
            throw variant.equals(UNNAMED) ? e : e.at(OPTION + " " + variant);
        }
    }

    /**
     * The variants with their options.
     *
     * @param shared options of every variant; an option of the variant replaces the shared one.
     */
    public List<Named> asked(final ChangedScheduler shared)
    {
        if (variants.isEmpty())
        {
            return shared.isAny() ? List.of(new Named(UNNAMED, shared)) : List.of();
        }
        final List<Named> asked = new ArrayList<>();
        for (final String variant : variants)
        {
            final Words words = words(variant);
            asked.add(new Named(words.name(), named(words.name(), () -> ChangedScheduler.parse(words.options(), shared))));
        }
        return asked;
    }

    /**
     * A variant whose options are not read.
     *
     * @param options as words of a command line.
     */
    public record Words(String name, List<String> options)
    {
    }

    /** @throws ConfigException if the variant has no name. */
    public static Words words(final String variant)
    {
        final int colon = variant.indexOf(':');
        final String name = colon < 0 ? "" : variant.substring(0, colon).strip();
        if (name.isEmpty() || name.startsWith("-"))
        {
            throw new ConfigException(OPTION + "='" + variant + "' has no name before a colon; give it one, such as " +
                "'half: --kv-blocks 32768'.");
        }
        final String own = variant.substring(colon + 1).strip();
        return new Words(name, own.isEmpty() ? List.of() : List.of(own.split("\\s+")));
    }
}
