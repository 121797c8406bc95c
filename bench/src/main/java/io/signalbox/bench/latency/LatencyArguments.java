// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.latency;

import io.signalbox.engine.EngineConfig.Waiting;
import io.signalbox.engine.HandlerThreads;
import io.signalbox.journal.Durability;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The arguments of {@link EngineLatency}.
 *
 * @param seconds  of each rate.
 * @param out      receives the percentile files and the pictures.
 * @param journals below which journals are written and deleted.
 * @param waitings ways to wait that this machine has the cores for, at least one.
 * @param skipsSpinning whether spinning was wanted too, but needs more cores.
 * @param levels   durabilities; an empty one is no journal.
 */
record LatencyArguments(
    double seconds,
    Path out,
    Path journals,
    List<Waiting> waitings,
    boolean skipsSpinning,
    List<Optional<Durability>> levels,
    HandlerThreads threads)
{
    /** The engine's four threads, the sender, the timer, the compiler and the collector. */
    static final int SPINNING_CORES = 8;

    private static final String USAGE =
        "usage: EngineLatency SECONDS OUT_DIRECTORY JOURNAL_DIRECTORY [WAITING,… [JOURNAL,… [THREADS]]]";
    private static final int LEAST = 3;
    private static final String NO_JOURNAL = "none";

    /**
     * @param cores of this machine.
     * @throws IllegalArgumentException with a sentence, if an argument is not allowed, or only spinning is wanted and there
     *                                  are too few cores.
     */
    static LatencyArguments parse(final String[] args, final int cores)
    {
        if (args.length < LEAST)
        {
            throw new IllegalArgumentException(USAGE);
        }
        final List<Waiting> wanted = new ArrayList<>();
        for (final String name : optional(args, LEAST, "blocking,yielding,spinning").split(","))
        {
            wanted.add(constant(Waiting.class, "WAITING", name));
        }
        final boolean skips = cores < SPINNING_CORES && wanted.remove(Waiting.SPINNING);
        if (wanted.isEmpty())
        {
            throw new IllegalArgumentException(String.format(Locale.ROOT, "WAITING=spinning needs %d cores, one for each " +
                "thread of the engine and one for the sender among them, and this machine has %d; run WAITING=spinning " +
                "scripts/measure-latency DIR on a machine that has them, or measure blocking or yielding.",
                SPINNING_CORES, cores));
        }
        final List<Optional<Durability>> levels = new ArrayList<>();
        for (final String name : optional(args, LEAST + 1, "none,process,batch,record").split(","))
        {
            levels.add(name.equals(NO_JOURNAL) ? Optional.empty() :
                Optional.of(constant(Durability.class, "JOURNALS", name)));
        }
        return new LatencyArguments(seconds(args[0]), Path.of(args[1]), Path.of(args[2]), wanted, skips, levels,
            constant(HandlerThreads.class, "THREADS", optional(args, LEAST + 2, "by_cores")));
    }

    private static String optional(final String[] args, final int index, final String otherwise)
    {
        return args.length > index ? args[index] : otherwise;
    }

    private static double seconds(final String text)
    {
        try
        {
            final double value = Double.parseDouble(text);
            if (value > 0 && value <= 3600)
            {
                return value;
            }
        }
        catch (final NumberFormatException e)
        {
            // The sentence below is for both.
        }
        throw new IllegalArgumentException(
            "SECONDS_EACH=" + text + " is no time for each rate; give seconds, above 0 and at most 3600.");
    }

    private static <T extends Enum<T>> T constant(final Class<T> type, final String setting, final String name)
    {
        for (final T value : type.getEnumConstants())
        {
            if (value.name().equals(name.toUpperCase(Locale.ROOT)))
            {
                return value;
            }
        }
        final List<String> names = new ArrayList<>(
            Arrays.stream(type.getEnumConstants()).map(value -> value.name().toLowerCase(Locale.ROOT)).toList());
        if (type == Durability.class)
        {
            names.add(0, NO_JOURNAL);
        }
        throw new IllegalArgumentException(setting + "=" + name + " is not one of " + String.join(", ", names) +
            "; give one of them" + (type == HandlerThreads.class ? "." : ", or several with commas between them."));
    }
}
