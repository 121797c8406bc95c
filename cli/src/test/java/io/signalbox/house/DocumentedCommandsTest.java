// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import io.signalbox.house.DocumentedCommands.Shown;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Every command of the documents names commands, options, modules, profiles, tests, scripts and programs that exist. It is
 * in a block that {@code .ci/commands} runs, or {@code .ci/not-run} has the reason why it is not run.
 */
class DocumentedCommandsTest
{
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root"));
    private static final List<Path> SOURCES = HouseSources.all();

    @Test
    void shouldNameOnlyPartsThatExist()
    {
        final DocumentedCommands commands = new DocumentedCommands(ROOT, SOURCES);
        assertEquals(List.of(), shown().stream().flatMap(shown -> commands.faults(shown).stream()).toList());
        assertTrue(shown().size() > 150, "commands: " + shown().size());
    }

    @Test
    void shouldRunEveryCommandOrSayWhyNot() throws IOException
    {
        final List<String> excused = new ArrayList<>();
        try (Stream<String> lines = Files.lines(ROOT.resolve(".ci/not-run")))
        {
            lines.filter(line -> line.startsWith("  ")).map(String::strip).forEach(excused::add);
        }
        final List<String> left = shown().stream().filter(shown -> shown.block() && !shown.run()).map(Shown::text).toList();

        assertEquals(List.of(), left.stream().filter(text -> excused.stream().noneMatch(text::startsWith)).toList());
        assertEquals(List.of(), excused.stream().filter(start -> left.stream().noneMatch(text -> text.startsWith(start)))
            .toList(), "not in any page");
    }

    @Test
    void shouldFindPartsThatDoNotExist()
    {
        final String page = """
            Say `mvn -Pnone verify` or `signalbox nothing`.
            <!-- sh: signalbox simulate --unknown 3 > out -->
            ```sh
            mvn -pl nowhere \\
                -Dtest=NoSuchTest,WallsTest -Dsignalbox.unknown=1
            ```
            ```
            $BENCH io.signalbox.bench.Nothing      what this prints
            scripts/nothing NoBenchmark.run
            signalbox           23.6    30.0
            ```
            """;
        final DocumentedCommands commands = new DocumentedCommands(ROOT, SOURCES);
        final List<Shown> shown = DocumentedCommands.of("a.md", page);

        assertEquals(List.of(
            "a.md: no module nowhere in 'mvn -pl nowhere     -Dtest=NoSuchTest,WallsTest -Dsignalbox.unknown=1'",
            "a.md: no test NoSuchTest in 'mvn -pl nowhere     -Dtest=NoSuchTest,WallsTest -Dsignalbox.unknown=1'",
            "a.md: no property signalbox.unknown in 'mvn -pl nowhere     -Dtest=NoSuchTest,WallsTest -Dsignalbox.unknown=1'",
            "a.md: no program io.signalbox.bench.Nothing in '$BENCH io.signalbox.bench.Nothing'",
            "a.md: no script scripts/nothing in 'scripts/nothing NoBenchmark.run'",
            "a.md: no benchmark NoBenchmark.run in 'scripts/nothing NoBenchmark.run'",
            "a.md: no option --unknown in 'signalbox simulate --unknown 3 > out'",
            "a.md: no profile none in 'mvn -Pnone verify'",
            "a.md: no command nothing in 'signalbox nothing'"),
            shown.stream().flatMap(command -> commands.faults(command).stream()).toList());
        assertEquals(List.of(true, false, false, true, false, false), shown.stream().map(Shown::run).toList());
    }

    private static List<Shown> shown()
    {
        return SOURCES.stream().filter(source -> source.toString().endsWith(".md") && !source.endsWith("CHANGELOG.md"))
            .flatMap(page -> DocumentedCommands.of(HouseSources.relative(page),
                String.join("\n", HouseSources.lines(page)) + "\n").stream()).toList();
    }
}
