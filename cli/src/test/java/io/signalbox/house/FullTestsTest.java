// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Each test with a full count is in exactly one part of {@code scripts/full-tests}, and docs/testing.md has each part. */
class FullTestsTest
{
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root"));
    private static final Pattern PART = Pattern.compile("(?m)^part ([a-z-]+) ([a-z,-]+) ([A-Za-z0-9*,]+)( .+)?$");
    private static final Pattern TEST = Pattern.compile("([a-z-]+)/src/test/java/.*/(\\w+Test)\\.java");
    private static final String THREADS = "@Tag(\"threads\")";
    private static final Pattern FULL = Pattern.compile(
        "\"signalbox\\.tests\"|\\bTestStrength\\.(?:is|count)|@Tries\\b|" +
        "@Property(?!\\w| *\\([^)]*tries)");

    @Test
    void shouldRunEveryFullCountInOnePart()
    {
        final Map<String, List<String>> parts = new TreeMap<>();
        // A part with options runs the same tests in another way.
        script().stream().filter(part -> part.group(4) == null).forEach(part -> List.of(part.group(3).split(",")).forEach(
            test -> parts.computeIfAbsent(test, key -> new ArrayList<>()).add(part.group(2))));
        final Map<String, List<String>> expected = new TreeMap<>();
        for (final Path source : HouseSources.all())
        {
            final String path = HouseSources.relative(source);
            final Matcher test = TEST.matcher(path);
            if (test.matches() && !path.contains("/house/") && isFull(String.join("\n", HouseSources.lines(source))))
            {
                expected.put(test.group(2), List.of(test.group(1)));
            }
        }
        assertEquals(expected.keySet(), parts.keySet());
        expected.forEach((test, module) -> assertTrue(parts.get(test).size() == 1 &&
            List.of(parts.get(test).get(0).split(",")).containsAll(module),
            () -> test + " of " + module + " is in " + parts.get(test)));
    }

    @Test
    void shouldRepeatEveryClassWithThreadsInOnePart()
    {
        final List<String> repeated = script().stream().filter(part -> part.group(1).startsWith("threads-"))
            .flatMap(part -> Stream.of(part.group(3).split(",")).map(test -> test + " of " + part.group(2)))
            .sorted().toList();
        final List<String> expected = new ArrayList<>();
        for (final Path source : HouseSources.all())
        {
            final Matcher test = TEST.matcher(HouseSources.relative(source));
            if (test.matches() && HouseSources.lines(source).contains(THREADS))
            {
                final String module = test.group(1);
                final String name = test.group(2);
                expected.add(name + " of " + script().stream().map(part -> part.group(2)).filter(modules ->
                    repeated.contains(name + " of " + modules) && List.of(modules.split(",")).contains(module))
                    .findFirst().orElse(module));
            }
        }
        assertEquals(expected.stream().sorted().toList(), repeated);
    }

    @Test
    void shouldSayInTheDocumentWhenEachPartRan() throws Exception
    {
        final String page = Files.readString(ROOT.resolve("docs/testing.md"));
        assertEquals(List.of(), script().stream().map(part -> part.group(1))
            .filter(name -> !page.contains("\n| `" + name + "` |")).toList());
    }

    @Test
    void shouldKnowAFullCount()
    {
        assertTrue(isFull("@Property\nvoid a()"));
        assertTrue(isFull("@Property(seed = \"1\")"));
        assertTrue(isFull("for (int i = 0; i < TestStrength.count(3, 200); i++)"));
        assertEquals(false, isFull("@Property(tries = 100)\n@PropertyDefaults"));
    }

    private static boolean isFull(final String source)
    {
        return FULL.matcher(source).find();
    }

    private static List<MatchResult> script()
    {
        return PART.matcher(String.join("\n", HouseSources.lines(ROOT.resolve("scripts/full-tests")))).results().toList();
    }
}
