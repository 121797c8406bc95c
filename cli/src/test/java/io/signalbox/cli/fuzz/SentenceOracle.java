// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A refusal is one sentence that names an option, a value or a missing part, and it prints no result. */
final class SentenceOracle implements Oracle
{
    private static final int BAD_INPUT = 2;

    private final CommandSpec model;

    SentenceOracle(final CommandSpec model)
    {
        this.model = model;
    }

    @Override
    public List<String> complaints(final Observation seen)
    {
        final Outcome outcome = seen.outcome();
        if (!seen.returned() || outcome.exitCode() != BAD_INPUT)
        {
            return List.of();
        }
        final List<String> complaints = new ArrayList<>();
        final boolean hasRun = isUnverifiedRun(seen);
        final String text = hasRun ? lastLine(outcome) : outcome.err().strip();
        if (text.lines().count() != 1)
        {
            complaints.add("sentence: " + text.lines().count() + " lines: " + text);
        }
        if (!text.startsWith("signalbox") || !text.endsWith("."))
        {
            complaints.add("sentence: it does not begin with the command and end with a full stop: " + text);
        }
        if (!isProbe(seen) && !hasRun && !outcome.out().isEmpty())
        {
            complaints.add("sentence: beside it a result is printed: " + outcome.out().lines().findFirst().orElse(""));
        }
        if (!isProbe(seen) && !namesSomething(text, seen))
        {
            complaints.add("sentence: it names no option and no value: " + text);
        }
        return complaints;
    }

    /** {@code gpu} says what this machine lacks, and {@code gpu --probe} prints it as its result. */
    private static boolean isProbe(final Observation seen)
    {
        return seen.command().equals("gpu");
    }

    /** A simulation that has run prints its report, also if others then keep it from reading its journal. */
    private static boolean isUnverifiedRun(final Observation seen)
    {
        return seen.command().equals("simulate") && !seen.outcome().out().isEmpty() &&
            lastLine(seen.outcome()).matches("signalbox simulate: the journal .+ was not verified: .+ --verify'\\.");
    }

    private static String lastLine(final Outcome outcome)
    {
        return outcome.err().strip().lines().reduce("", (before, line) -> line);
    }

    private boolean namesSomething(final String text, final Observation seen)
    {
        // The advice at the end names --help whatever is wrong.
        final String sentence = text.replaceFirst("^signalbox[a-z ]*: ", "").replaceAll("; see '[^']*--help'\\.", "")
            .replaceAll("[\\x00-\\x1f\\x7f]", "?");
        return sentence.equals("a command is missing") || sentence.matches("(request|record) \\d+ of the journal .*") ||
            seen.arguments().stream().flatMap(this::names).anyMatch(sentence::contains) ||
            seen.arguments().stream().flatMap(SentenceOracle::parts)
                // Without a UTF-8 locale other characters are printed as '?'.
                .anyMatch(part -> sentence.contains(part) || sentence.contains(part.replaceAll("[^\\x00-\\x7f]", "?")));
    }

    /** Of the options and parameters of a command and its questions; an argument that is no command has none. */
    private Stream<String> names(final String argument)
    {
        if (!model.subcommands().containsKey(argument))
        {
            return Stream.empty();
        }
        final CommandLine command = model.subcommands().get(argument);
        return Stream.concat(Stream.of(command), command.getSubcommands().values().stream())
            .map(CommandLine::getCommandSpec).flatMap(spec -> Stream.concat(
                spec.options().stream().map(OptionSpec::longestName),
                spec.positionalParameters().stream().map(PositionalParamSpec::paramLabel)));
    }

    private static Stream<String> parts(final String argument)
    {
        // As it is printed: a path without needless slashes, on one line, and '?' for a control character and for what
        // UTF-8 cannot encode.
        final String printed = new String(argument.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8)
            .lines().map(String::strip).reduce((a, b) -> a + " " + b).orElse("")
            .replaceAll("[\\x00-\\x1f\\x7f]", "?").replaceAll("/+", "/").replaceAll("(?<=.)/$", "");
        // Of a blank value nothing can be seen in a sentence.
        return printed.isBlank() ? Stream.of(printed) :
            Stream.concat(Stream.of(printed), Stream.of(printed.split("[=,:]"))).filter(part -> !part.isBlank());
    }
}
