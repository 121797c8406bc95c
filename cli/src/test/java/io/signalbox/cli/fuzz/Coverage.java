// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import io.signalbox.cli.CommandEntry;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How often each command and option was tried, and with what exit code. */
final class Coverage
{
    private static final int EXIT_CODES = 4;
    private static final int NANOS = EXIT_CODES + 1;

    private final Map<String, CommandSpec> model = CommandEntry.commands();
    private final Map<String, long[]> counts = new TreeMap<>();

    void count(final List<String> arguments, final Outcome outcome)
    {
        final String words = String.join(" ", arguments.subList(0, Math.min(2, arguments.size())));
        final String command = model.containsKey(words) ? words : arguments.isEmpty() ? "" : arguments.get(0);
        add(command, outcome);
        if (!model.containsKey(command))
        {
            return;
        }
        for (final OptionSpec option : model.get(command).options())
        {
            if (arguments.stream().anyMatch(argument -> Arrays.stream(option.names())
                .anyMatch(name -> argument.equals(name) || argument.startsWith(name + "="))))
            {
                add(command + " " + option.longestName(), outcome);
            }
        }
    }

    private void add(final String what, final Outcome outcome)
    {
        final long[] codes = counts.computeIfAbsent(what, key -> new long[NANOS + 1]);
        codes[outcome.exitCode() >= 0 && outcome.exitCode() < EXIT_CODES ? outcome.exitCode() : EXIT_CODES]++;
        codes[NANOS] += outcome.nanos();
    }

    /** Options of the model that no case gave. */
    List<String> missed(final String command)
    {
        return model.get(command).options().stream()
            .map(option -> command + " " + option.longestName()).filter(option -> !counts.containsKey(option)).toList();
    }

    /** One line per command and option: cases by exit code, and the mean wall-clock time of one. */
    String table()
    {
        final StringBuilder table = new StringBuilder(
            "%-34s %8s %8s %8s %8s %8s %8s%n".formatted("command and option", "0", "1", "2", "3", "other", "ms"));
        counts.forEach((what, codes) ->
        {
            if (model.containsKey(what.replaceFirst(" --.*", "")))
            {
                table.append("%-34s %8d %8d %8d %8d %8d %8.1f%n".formatted(
                    what, codes[0], codes[1], codes[2], codes[3], codes[EXIT_CODES],
                    codes[NANOS] / 1e6 / Arrays.stream(codes, 0, NANOS).sum()));
            }
        });
        return table.toString();
    }
}
