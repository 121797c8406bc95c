// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.cli.options.sweep.SweepPlanFile;
import io.signalbox.cli.options.sweep.SweptOptions;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sweep.SweepCell;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The variants of a recorded run. */
public final class VariantOptions
{
    static final String OPTION = "--variant";
    private static final String PLAN = "--variants";
    private static final String UNNAMED = "changed";
    /** The report has a table for each. */
    private static final int MAX_CELLS = 1000;

    @Option(names = OPTION, paramLabel = "'NAME: OPTIONS'",
        description = "Add a variant with these scheduler options, such as 'half: --kv-blocks 32768'; may be repeated " +
            "(default: one variant, 'changed', if scheduler options are given).")
    private List<String> variants = List.of();

    @Option(names = PLAN, paramLabel = "FILE",
        description = "Add the variants of FILE, a plan of 'signalbox sweep' with scheduler options: the combinations " +
            "of its variants and its grid.")
    @InputPath
    private String plan;

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
        if (variants.isEmpty() && plan == null)
        {
            return shared.isAny() ? List.of(new Named(UNNAMED, shared)) : List.of();
        }
        final List<Named> asked = new ArrayList<>();
        for (final String variant : variants)
        {
            final Words words = words(variant);
            asked.add(new Named(words.name(), named(words.name(), () -> ChangedScheduler.parse(words.options(), shared))));
        }
        if (plan != null)
        {
            addPlanned(shared, asked);
        }
        return asked;
    }

    private void addPlanned(final ChangedScheduler shared, final List<Named> asked)
    {
        final String heading = "Scheduler";
        final SweptOptions known = new SweptOptions(CommandSpec.create().name("whatif")
            .addArgGroup(CommandModel.group(heading, 0, new ChangedScheduler())), List.of(heading), List.of());
        final List<SweepCell> cells = new SweepPlanFile(PLAN + "=" + plan, plan).cells(known);
        if (cells.size() > MAX_CELLS)
        {
            throw new ConfigException(PLAN + "=" + plan + " has " + cells.size() + " combinations, and a report has at " +
                "most " + MAX_CELLS + " variants; draw fewer.");
        }
        for (final SweepCell cell : cells)
        {
            final String name = cell.varied().isEmpty() ? UNNAMED : cell.label();
            try
            {
                asked.add(new Named(name, ChangedScheduler.parse(known.arguments(cell.options()), shared)));
            }
            catch (final ConfigException e)
            {
                throw e.at(PLAN + "=" + plan + ", " + name);
            }
        }
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
