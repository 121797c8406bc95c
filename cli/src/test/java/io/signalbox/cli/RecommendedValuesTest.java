// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.TestStrength;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tries every value that a refusal recommends, with the same command; with -Pfull, common options with both commands. */
class RecommendedValuesTest
{
    private static final List<String> WRONG =
        List.of("no.such", "-1", "2147483647", "9223372036854775807", "-1e300", "1e300");
    private static final Pattern BETWEEN = Pattern.compile("between (-?[0-9.Ee+-]*[0-9]) and (-?[0-9.Ee+-]*[0-9])");
    private static final Pattern AT_LEAST = Pattern.compile("(?:at least|>=) (-?[0-9][0-9.Ee+-]*)");
    private static final Pattern NAMES =
        Pattern.compile("(?:one of|some of|; give) ([a-z][a-z-]*(?:(?:, | or )[a-z][a-z-]*)*)");
    private static final Pattern EXAMPLES = Pattern.compile("such as ([^;']*)");
    private static final Pattern QUOTED = Pattern.compile("such as '([^']*)'(?: or '([^']*)')?");
    private static final Pattern FORM = Pattern.compile("\\b([a-z]+:[A-Z]+(?:,[A-Z]+)*)");
    /** Values for the places of a form. */
    private static final Map<String, String> PLACES = Map.of("RATE", "8", "CV", "2", "MEDIAN", "4", "SIGMA", "0.7",
        "MIN", "1", "MAX", "32", "EXPONENT", "1.2", "VALUE", "3");
    /** Options without which the option has no effect. */
    private static final Map<String, List<String>> NEEDED = Map.of(
        "--draft-acceptance", List.of("--draft-tokens=2"),
        "--tenant-weights", List.of("--queue-order=fair"),
        "--max-tenants", List.of("--queue-order=fair"),
        "--paused-blocks", List.of("--under-pressure=pause"),
        "--max-long-prefills", List.of("--long-prefill-tokens=64"),
        "--ring-size", List.of("--threaded"),
        "--cancel-after", List.of("--cancel-fraction=0.5"),
        "--beta", List.of("--router=kv-aware"));
    /** The largest value makes a large run on purpose. */
    private static final Set<String> LARGE = Set.of("--conversations", "--limit", "--seeds");
    /** Words of prose in places where a refusal can have a name. */
    private static final Set<String> PROSE = Set.of("or", "give", "fewer", "a", "at", "the", "both", "such", "tenants");

    @TempDir
    private Path directory;

    private static Stream<String> options()
    {
        final Set<String> both = new HashSet<>();
        return Stream.of("simulate", "compare").flatMap(command -> CommandEntry.model().subcommands().get(command)
            .getCommandSpec().options().stream().filter(RecommendedValuesTest::hasValue)
            .filter(option -> both.add(option.longestName()) || TestStrength.isFull())
            .map(option -> command + " " + option.longestName()));
    }

    private static boolean hasValue(final OptionSpec option)
    {
        return option.arity().max() > 0 && !option.longestName().startsWith("--journal") && !isPath(option);
    }

    private static boolean isPath(final ArgSpec option)
    {
        return option.type() == Path.class || option.paramLabel().equals("FILE") || option.paramLabel().equals("JAR");
    }

    private CommandRun run(final String command, final String option, final String value) throws IOException
    {
        final List<String> line = new ArrayList<>(List.of(command, option + "=" + value));
        final Map<String, String> small = command.equals("simulate") ?
            Map.of("--conversations", "3", "--ranks", "2", "--kv-blocks", "4097", "--max-context", "512") :
            Map.of("--conversations", "3", "--ranks", "2", "--kv-blocks", "4097", "--seeds", "1", "--router", "signalbox",
                "--workers", "1");
        small.forEach((name, number) ->
        {
            if (!name.equals(option) && !(name.equals("--router") && option.equals("--beta")))
            {
                line.add(name + "=" + number);
            }
        });
        line.addAll(NEEDED.getOrDefault(option, List.of()));
        if (command.equals("simulate"))
        {
            line.add("--journal=" + Files.createTempDirectory(directory, "run").resolve("journal"));
        }
        return CommandRun.of(line);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("options")
    void shouldAcceptWhatItRecommends(final String commandAndOption) throws IOException
    {
        final String command = commandAndOption.substring(0, commandAndOption.indexOf(' '));
        final String option = commandAndOption.substring(commandAndOption.indexOf(' ') + 1);
        final Set<String> recommended = new LinkedHashSet<>();
        for (final String wrong : LARGE.contains(option) ? List.of("no.such", "-1") : WRONG)
        {
            final CommandRun run = run(command, option, wrong);
            assertOneSentence(option + "=" + wrong, run);
            recommended.addAll(run.exitCode() == ExitCode.BAD_INPUT ? recommended(run.err()) : Set.of());
        }
        for (final String value : recommended)
        {
            assertAccepts(command, option, value, 0);
        }
    }

    /** Another option can narrow the range, and the refusal says so: then the bounds of the narrower range are accepted. */
    private void assertAccepts(final String command, final String option, final String value, final int refusals)
        throws IOException
    {
        if (LARGE.contains(option) && value.length() > 3)
        {
            return;
        }
        final CommandRun run = run(command, option, value);
        final String what = option + "=" + value;
        assertOneSentence(what, run);
        if (run.exitCode() != ExitCode.BAD_INPUT ||
            !run.err().contains(what + " is not ") && !run.err().contains("'" + value + "' is not "))
        {
            return;
        }
        final Set<String> narrower = recommended(run.err());
        assertTrue(refusals == 0 && !narrower.isEmpty() && !narrower.contains(value), what + ": " + run.err());
        for (final String other : narrower)
        {
            assertAccepts(command, option, other, refusals + 1);
        }
    }

    private static void assertOneSentence(final String what, final CommandRun run)
    {
        assertTrue(run.exitCode() <= ExitCode.BAD_INPUT, what + ": " + run.err());
        assertFalse(run.err().contains("\tat "), what + ": " + run.err());
    }

    static Set<String> recommended(final String sentence)
    {
        final Set<String> values = new LinkedHashSet<>();
        add(values, BETWEEN, sentence);
        add(values, AT_LEAST, sentence);
        add(values, QUOTED, sentence);
        final Matcher names = NAMES.matcher(sentence);
        while (names.find())
        {
            for (final String name : names.group(1).split(", | or "))
            {
                if (!PROSE.contains(name) && (names.group(1).length() > name.length() || name.equals("none")))
                {
                    values.add(name);
                }
            }
        }
        final Matcher forms = FORM.matcher(sentence);
        while (forms.find())
        {
            String form = forms.group(1);
            for (final Map.Entry<String, String> place : PLACES.entrySet())
            {
                form = form.replaceAll("\\b" + place.getKey() + "\\b", place.getValue());
            }
            if (!form.matches(".*[A-Z].*"))
            {
                values.add(form);
            }
        }
        final Matcher examples = EXAMPLES.matcher(sentence);
        while (examples.find())
        {
            for (final String example : examples.group(1).split(", | or "))
            {
                if (example.matches("[^ ]*\\d[^ ]*"))
                {
                    values.add(example.strip().replaceFirst("\\.$", ""));
                }
            }
        }
        return values;
    }

    private static void add(final Set<String> values, final Pattern pattern, final String sentence)
    {
        final Matcher matcher = pattern.matcher(sentence);
        while (matcher.find())
        {
            for (int group = 1; group <= matcher.groupCount(); group++)
            {
                if (matcher.group(group) != null)
                {
                    values.add(matcher.group(group));
                }
            }
        }
    }

    @Test
    void shouldFindTheValuesOfASentence()
    {
        assertEquals(Set.of("1", "1024"), recommended("--ranks=0 is not between 1 and 1024; give a number in that range."));
        assertEquals(Set.of("none", "a=3,b=1"), recommended("--tenants=x is not none, or tenants with weights of 1 to " +
            "1000 " +
            "such as a=3,b=1; give none, or tenants with weights of 1 to 1000 such as a=3,b=1."));
        assertEquals(Set.of("process", "batch", "record"), recommended("--durability=x is not one of process, batch, " +
            "record; give one of them; see 'signalbox simulate --help'."));
        assertEquals(Set.of("lognormal:4,0.7,1,32", "zipf:1.2,1,32", "fixed:3"), recommended("--turns=x is not " +
            "lognormal:MEDIAN,SIGMA,MIN,MAX, zipf:EXPONENT,MIN,MAX or fixed:VALUE; give one."));
        assertEquals(Set.of("rank 2 step 40 failed", "late=0.01,dropped=0.001"), recommended("--faults=x is not there; " +
            "give a plan such as 'rank 2 step 40 failed' or 'late=0.01,dropped=0.001'."));
        assertEquals(Set.of("2", "0.5", "1e-6"), recommended("'x' is not a number such as 2, 0.5 or 1e-6; see the help."));
    }
}
