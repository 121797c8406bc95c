// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.HelpPage;
import io.signalbox.cli.console.ResultStream;
import io.signalbox.router.DpRouters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class HelpTest
{
    private static final int SHORT_LINES = 60;

    private static CommandLine model()
    {
        return Main.commandLine(new Console(new ResultStream(new ByteArrayOutputStream()),
            new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8), false));
    }

    private static Stream<String> commands()
    {
        return model().getSubcommands().entrySet().stream().flatMap(command -> Stream.concat(Stream.of(command.getKey()),
            command.getValue().getSubcommands().keySet().stream().map(question -> command.getKey() + " " + question)));
    }

    private static CommandLine command(final String words)
    {
        CommandLine command = model();
        for (final String word : words.split(" "))
        {
            command = command.getSubcommands().get(word);
        }
        return command;
    }

    /** Every page that help has. */
    private static Stream<String> pages()
    {
        final List<String> pages = new ArrayList<>(List.of("--help"));
        commands().forEach(name ->
        {
            pages.add(name + " --help");
            pages.add(name + " --help all");
            new HelpPage(command(name)).groups().forEach(group -> pages.add(name + " --help " + group));
        });
        return pages.stream();
    }

    private static String help(final int columns, final String arguments)
    {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final Console console =
            new Console(new ResultStream(out), new PrintStream(err, true, StandardCharsets.UTF_8), false, columns);
        final int exitCode = Main.run(console, arguments.split(" "));
        assertEquals(ExitCode.OK, exitCode);
        assertEquals("", err.toString(StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void shouldKeepToTheColumnsOfTheTerminal(final String arguments)
    {
        for (final int columns : new int[]{60, 100})
        {
            final String text = help(columns, arguments);
            text.lines().forEach(line -> assertTrue(
                line.length() <= columns, () -> line.length() + " of " + columns + " columns: " + line));
            assertFalse(
                text.contains("DEFAULT-VALUE") || text.contains("(default: null)") || text.contains("COMPLETION"), text);
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void shouldExplainWithExamplesAndExitCodes(final String command)
    {
        final String help = help(100, command + " --help");

        assertTrue(help.contains("Examples:\n  "), help);
        assertTrue(help.contains("Exit codes: 0 "), help);
        assertTrue(help.lines().count() <= SHORT_LINES, help.lines().count() + " lines");
        assertTrue(help.lines().dropWhile(line -> !line.startsWith("Exit codes:")).skip(1)
            .allMatch(line -> line.startsWith("            ")), help);
        assertEquals(help, help(100, "help " + command));
        assertEquals(help, help(100, command + " -h"));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void shouldPrintExamplesAndSynopsisInOnePiece(final String command)
    {
        final List<String> help = help(100, command + " --help all").lines().toList();
        for (final String line : command(command).getCommandSpec().usageMessage().footer())
        {
            assertTrue(help.contains(line), () -> "wrapped: " + line);
        }
        final int usage = IntStream.range(0, help.size()).filter(i -> help.get(i).startsWith("Usage: ")).findFirst()
            .orElseThrow();
        assertFalse(help.get(usage + 1).startsWith(" ".repeat("Usage: ".length())), () -> "wrapped: " + help.get(usage));
    }

    /** A flag with two forms has both. */
    private static String shownName(final OptionSpec option)
    {
        return option.negatable() ? "--[no-]" + option.longestName().substring(2) : option.longestName();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void shouldExplainEveryOptionAsAnImperative(final String command)
    {
        final String all = help(100, command + " --help all");
        for (final OptionSpec option : command(command).getCommandSpec().options())
        {
            assertTrue(all.contains(shownName(option)), option.longestName());
            final String first = String.join(" ", option.description()).split("[ :]")[0];
            assertTrue(first.matches("[A-Z][a-z]+(-[a-z]+)?") &&
                (first.matches("Seed|Speed") || !first.matches(".*(ed|ing|ers|ens)|The|An?|Most|No")),
                option.longestName() + ": " + first);
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void shouldNameEveryOptionOnTheShortPageAndExplainItInOneGroup(final String command)
    {
        final CommandLine line = command(command);
        final List<String> groups = new HelpPage(line).groups();
        assertTrue(groups.stream().allMatch(group -> group.matches("[a-z]+")), groups.toString());
        final String page = help(100, command + " --help");
        assertFalse(page.contains("${"), page);
        final List<String> pages = groups.stream().map(group -> help(100, command + " --help " + group)).toList();
        for (final OptionSpec option : line.getCommandSpec().options())
        {
            assertTrue(page.contains(option.longestName()) || page.contains(shownName(option)), option.longestName());
            final Pattern explained = Pattern.compile("(?m)^ +(-., )?" + Pattern.quote(shownName(option)) + "\\b(?!-).*$");
            assertTrue(groups.isEmpty() || pages.stream().filter(explained.asPredicate()).count() == 1,
                option.longestName());
        }
    }

    @ParameterizedTest
    @CsvSource({"simulate --help workload, help simulate workload", "simulate --help=costs, help simulate costs",
        "simulate --ranks 2 --help journal, help simulate journal", "compare -h all, help compare all",
        "gpu --help checks, help gpu checks", "--help, help"})
    void shouldShowTheSameByOptionAndByCommand(final String option, final String command)
    {
        assertEquals(help(100, option), help(100, command));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--version", "-V", "simulate -V", "compare -V", "replay --version", "inspect -V",
        "inspect moment -V",
        "experts -V", "trace -V", "redact -V", "timeline -V",
        "doctor -V",
        "gpu --version", "help -V", "completion -V"})
    void shouldPrintTheVersionForEveryCommand(final String arguments)
    {
        final CommandRun run = CommandRun.of(arguments.split(" "));

        assertEquals(ExitCode.OK, run.exitCode());
        assertTrue(run.out().matches("signalbox \\d+\\.\\d+\\.\\d+\\n"), run.out());
    }

    @Test
    void shouldNameEveryDefault()
    {
        final String help = help(100, "simulate --help all");

        assertTrue(help.contains("(default: 8)"), help);
        assertTrue(help.replaceAll("\\s+", "").contains("lognormal:200.0,1.0,8,4096"), help);
        final String compare = help(100, "compare --help all").replaceAll("\\s+", " ");
        assertTrue(compare.contains(DpRouters.installed().labels() + " (default: all)"), compare);
    }

    @ParameterizedTest
    @CsvSource({"80, 80", "59, 60", "20, 60", "250, 100", "x, 100", "-5, 100", "99999999999, 100", "'', 100", ", 100"})
    void shouldTakeTheWidthFromTheTerminal(final String columns, final int expected)
    {
        assertEquals(expected, Console.columns(columns));
    }
}
