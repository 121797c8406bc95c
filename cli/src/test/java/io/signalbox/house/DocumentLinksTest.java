// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Every link between pages leads to a file that exists and to a heading in it, and every class and test in code exists. */
class DocumentLinksTest
{
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root"));
    private static final Pattern LINK = Pattern.compile("]\\(([^)]+)\\)|src(?:set)?=\"([^\"]+)\"");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

    /** Systems, models and traces: a page that names one links to it once. */
    private static final List<String> NAMES = List.of("Mooncake", "DeepSeek", "Qwen", "Megatron Core", "vLLM", "SGLang",
        "TensorRT-LLM", "Grafana", "Micrometer", "Vidur", "BLIS", "LLMServingSim");

    private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
    private static final Pattern TEST =
        Pattern.compile("(?<![\\w…])(?:should[A-Z]\\w*|[dr]\\d+\\w*Should\\w*|[A-Z]\\w*(?:Test|IT|Benchmark))\\b");
    private static final Pattern MEMBER = Pattern.compile("([A-Z]\\w*)\\.(\\w+)(…|\\(.*)?");
    private static final Pattern TYPE = Pattern.compile("[A-Z][a-z]\\w*[A-Z]\\w*");
    /** Names from Micrometer, transformers and the JDK's compiler. */
    private static final Set<String> TYPES_OF_OTHERS = Set.of("MeterFilter", "OlmoeForCausalLM", "NodeCountInliningCutoff");

    @TempDir
    Path temporary;

    @Test
    void shouldFindEveryTarget() throws IOException
    {
        final List<String> broken = new ArrayList<>();
        int links = 0;
        for (final Path page : pages())
        {
            links += check(page, broken);
        }
        assertEquals(List.of(), broken);
        assertTrue(links > 40, "links: " + links);
    }

    @Test
    void shouldFindBrokenLinks() throws IOException
    {
        final Path page = temporary.resolve("a.md");
        Files.writeString(page, "# One thing\n[a](b.md) [c](a.md#one-thing) [d](#other) [e](https://example.org/x)\n");
        final List<String> broken = new ArrayList<>();

        assertEquals(3, check(page, broken));
        assertEquals(List.of("a.md: b.md", "a.md: #other"), broken);
    }

    @Test
    void shouldLinkTheSystemsThatAPageNames() throws IOException
    {
        final List<String> missing = new ArrayList<>();
        for (final Path page : pages())
        {
            missing.addAll(unlinked(page));
        }
        assertEquals(List.of(), missing);

        final Path page = temporary.resolve("b.md");
        Files.writeString(page, "# Mooncake\nAs vLLM does; `Qwen`\n[SGLang's way](https://example.org)\n");
        assertEquals(List.of("b.md: vLLM"), unlinked(page));
    }

    @Test
    void shouldNameClassesAndTestsThatExist() throws IOException
    {
        final Map<String, Set<String>> words = words();
        final List<String> missing = new ArrayList<>();
        for (final Path page : pages())
        {
            missing.addAll(page.endsWith("CHANGELOG.md") ? List.of() : missing(page, words));
        }
        assertEquals(List.of(), missing);

        final Path page = temporary.resolve("c.md");
        Files.writeString(page, "`NeverWritten" + "Test` `DocumentLinksTest.should" + "NotExist` " +
            "`DocumentLinksTest.shouldFind…` `NoSuch" + "Type` `…FuzzTest` `ReportCheck.no" + "Member`\n" +
            "```\n`Hidden" + "Test`\n```\n`System.nanoTime()` `shouldFindBrokenLinks`\n");
        assertEquals(List.of("c.md: NeverWritten" + "Test", "c.md: should" + "NotExist", "c.md: NoSuch" + "Type",
            "c.md: ReportCheck.no" + "Member"), missing(page, words));
    }

    /** Returns the tests, types and members that a sentence names and the sources do not have. */
    private static List<String> missing(final Path page, final Map<String, Set<String>> words) throws IOException
    {
        final List<String> missing = new ArrayList<>();
        final String prose = Files.readString(page).replaceAll("(?ms)^```.*?^```", "");
        CODE.matcher(prose).results().map(code -> code.group(1)).forEach(code ->
        {
            TEST.matcher(code).results().map(MatchResult::group)
                .filter(name -> !words.get("").contains(name) && !code.contains(name + '…')).forEach(missing::add);
            final Matcher member = MEMBER.matcher(code);
            if (member.matches() && words.containsKey(member.group(1)) && !TEST.matcher(member.group(2)).matches())
            {
                final boolean begins = "…".equals(member.group(3));
                if (words.get(member.group(1)).stream().noneMatch(
                    word -> begins ? word.startsWith(member.group(2)) : word.equals(member.group(2))))
                {
                    missing.add(code);
                }
            }
            else if (TYPE.matcher(code).matches() && !TEST.matcher(code).matches() && !words.get("").contains(code) &&
                !TYPES_OF_OTHERS.contains(code))
            {
                missing.add(code);
            }
        });
        return missing.stream().map(name -> page.getFileName() + ": " + name).toList();
    }

    /** Returns the words of each source file by the name of the file, and the words of all sources by the empty name. */
    private static Map<String, Set<String>> words()
    {
        final Map<String, Set<String>> words = new HashMap<>(Map.of("", new HashSet<>()));
        for (final Path source : HouseSources.all())
        {
            final String name = source.getFileName().toString();
            if (!name.endsWith(".md"))
            {
                final Set<String> found = Pattern.compile("\\w+").matcher(String.join("\n", HouseSources.lines(source)))
                    .results().map(MatchResult::group).collect(Collectors.toSet());
                words.computeIfAbsent(name.replaceFirst("\\..*", ""), key -> new HashSet<>()).addAll(found);
                words.get("").addAll(found);
            }
        }
        return words;
    }

    /** Headings and code cannot have links, and the changelog names what the other pages explain. */
    private static List<String> unlinked(final Path page) throws IOException
    {
        final String text = Files.readString(page);
        final String prose =
            text.replaceAll("(?ms)^```.*?^```", "").replaceAll("`[^`]*`", "").replaceAll("(?m)^#+ .*$", "");
        return NAMES.stream().filter(name -> prose.contains(name) && !page.endsWith("CHANGELOG.md") &&
            !Pattern.compile("\\[[^\\]]*" + name + "[^\\]]*\\]\\(http").matcher(text).find())
            .map(name -> page.getFileName() + ": " + name).toList();
    }

    private static List<Path> pages() throws IOException
    {
        try (Stream<Path> top = Files.list(ROOT); Stream<Path> docs = Files.walk(ROOT.resolve("docs")))
        {
            return Stream.concat(top, docs).filter(path -> path.toString().endsWith(".md")).sorted().toList();
        }
    }

    /** @return the links to other pages and headings. */
    private static int check(final Path page, final List<String> broken) throws IOException
    {
        final Matcher link = LINK.matcher(Files.readString(page));
        int links = 0;
        while (link.find())
        {
            final String target = link.group(1) == null ? link.group(2) : link.group(1);
            if (!target.startsWith("http"))
            {
                links++;
                final int anchor = target.indexOf('#');
                final String file = anchor < 0 ? target : target.substring(0, anchor);
                final Path path = file.isEmpty() ? page : page.resolveSibling(file);
                if (!Files.exists(path) || anchor >= 0 && !hasHeading(path, target.substring(anchor + 1)))
                {
                    broken.add(page.getFileName() + ": " + target);
                }
            }
        }
        return links;
    }

    private static boolean hasHeading(final Path page, final String anchor) throws IOException
    {
        return HEADING.matcher(Files.readString(page)).results().map(match -> match.group(1).toLowerCase(Locale.ROOT)
            .replaceAll("[^\\w\\- ]", "").replace(' ', '-')).anyMatch(anchor::equals);
    }
}
