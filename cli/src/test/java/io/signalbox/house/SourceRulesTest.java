// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SourceRulesTest
{
    private static final String LICENCE = "// SPDX-License-Identifier: Apache-2.0";

    @Test
    void shouldFindNothingInTheWholeHouse()
    {
        final List<Path> sources = HouseSources.all();
        final List<String> findings = new ArrayList<>();
        sources.forEach(source ->
            findings.addAll(SourceRules.findings(HouseSources.relative(source), HouseSources.lines(source))));

        assertTrue(findings.isEmpty(), () -> "\n" + String.join("\n", findings));
        assertTrue(sources.stream().anyMatch(source -> source.endsWith("signalbox")), "the launcher was not looked at");
        assertTrue(sources.stream().anyMatch(source -> source.endsWith(".ci/run")), "the CI script was not looked at");
    }

    @Test
    void shouldGiveEverySimpleNameOnce()
    {
        final List<String> paths = HouseSources.all().stream().map(HouseSources::relative).toList();

        assertEquals(List.of(), SourceRules.names(paths));
    }

    @Test
    void shouldHaveNoHallOfMoreThanSixtyFiles()
    {
        final List<String> paths = HouseSources.all().stream().map(HouseSources::relative).toList();

        assertEquals(List.of(), SourceRules.halls(paths));
        assertEquals(List.of("a/src/main/java/b has 61 files; move some into a room below it"), SourceRules.halls(
            IntStream.range(0, 61).mapToObj(i -> "a/src/main/java/b/A" + i + ".java").toList()));
    }

    @Test
    void shouldTrackNothingThatACrashLeft()
    {
        assertEquals(List.of("a/hs_err_pid2146.log is left by a crash; remove it with git rm"),
            SourceRules.leftByCrashes(List.of("a/hs_err_pid2146.log", "a/core/Core.java", "a/core.md", "score")));
        assertEquals(4, SourceRules.leftByCrashes(
            List.of("replay_pid7.log", "a/java_pid7.hprof", "core", "a/b/core.7")).size());

        final List<String> tracked = HouseSources.tracked();
        Assumptions.assumeFalse(tracked.isEmpty(), "skipped: git lists no files here");
        assertTrue(tracked.contains("pom.xml"), "the list has no pom.xml");
        assertEquals(List.of(), SourceRules.leftByCrashes(tracked));
    }

    @Test
    void shouldGiveNestedTypesOtherNamesThanFiles()
    {
        final Map<String, List<String>> production = new HashMap<>();
        for (final Path source : HouseSources.all())
        {
            final String path = HouseSources.relative(source);
            if (path.contains("/src/main/java/") && path.endsWith(".java") && !path.startsWith("samples/"))
            {
                production.put(path, HouseSources.lines(source));
            }
        }
        assertTrue(production.size() > 500, production.size() + " sources");
        assertEquals(List.of(), SourceRules.nestedNames(production));
        assertEquals(List.of("A is nested in b/B.java and is the type of a/A.java"), SourceRules.nestedNames(Map.of(
            "a/A.java", List.of("public final class A"), "b/B.java", List.of("public final class B", "{",
                "    private static final class A", "    record C(int a)"))));
    }

    @Test
    void shouldFindNamesThatMeanTwoThings()
    {
        assertEquals(
            List.of("A is a name in a/src/main/java/A.java and in b/src/main/java/A.java"),
            SourceRules.names(List.of(
                "a/src/main/java/A.java", "a/src/test/java/A.java", "b/src/main/java/A.java", "b/src/main/java/B.java")));
        assertEquals(
            List.of("RouterGate is in backend-cuda/src/main/java/RouterGate.java: a router chooses a DP rank; call an MoE " +
                "gate ExpertRouter"),
            SourceRules.names(List.of(
                "backend-cuda/src/main/java/RouterGate.java", "backend-cuda/src/main/java/ExpertRouterMode.java")));
    }

    @Test
    void shouldFindAMissingLicenceLine()
    {
        assertFinds("no line 'SPDX", "a/src/main/java/A.java", "package a;", LICENCE);
        assertFinds("no line 'SPDX", "a/pom.xml", "<project>", "</project>");
        assertFinds("no line 'SPDX", "signalbox", "#!/bin/sh");
    }

    @Test
    void shouldFindUntidyLines()
    {
        assertFinds("A.java:2: a tab or a trailing space", "A.java", LICENCE, "class A ");
        assertFinds("A.java:2: a tab or a trailing space", "A.java", LICENCE, "\tint a;");
        assertFinds("A.java:2: 126 columns", "A.java", LICENCE, "x".repeat(SourceRules.MAX_COLUMNS + 1));
        assertFinds("A.java:2: something left for later", "A.java", LICENCE, "// TO" + "DO");
    }

    @Test
    void shouldFindUnusedImports()
    {
        assertFinds("A.java:2: unused import List", "A.java", LICENCE, "import java.util.List;", "class A { ArrayList b; }");
    }

    @Test
    void shouldFindLongMethods()
    {
        final List<String> lines =
            new ArrayList<>(List.of(LICENCE, "class A", "{", "    void a(", "        int b)", "    {"));
        lines.addAll(Stream.generate(() -> "        b++;").limit(SourceRules.MAX_METHOD_LINES + 1).toList());
        lines.addAll(List.of("    }", "}"));
        assertFinds("A.java:5: a method of 51 lines, at most 50", "A.java", lines.toArray(new String[0]));

        lines.set(3, "    class B");
        lines.remove(4);
        assertEquals(List.of(), SourceRules.findings("A.java", lines));
    }

    @Test
    void shouldFindTestsThatWouldNotRunOrThatSleep()
    {
        assertFinds("does not run", "a/src/test/java/Checks.java", LICENCE, "    @Test");
        assertFinds("sleeps", "a/src/test/java/ATest.java", LICENCE, "Thread" + ".sleep(10);");
        assertFinds("sleeps", "a/src/test/java/ATest.java", LICENCE, "LockSupport" + ".parkNanos(10);");
    }

    @Test
    void shouldFindTestsThatStartThreadsAndAreNotRepeated()
    {
        final String[] lines = {LICENCE, "import org.junit.jupiter.api.Test;", "", "    @Test", "new " + "Thread(work);"};
        assertFinds("starts threads", "a/src/test/java/ATest.java", lines);
        lines[2] = "@Tag(\"threads\")";
        assertEquals(List.of(), SourceRules.findings("a/src/test/java/ATest.java", List.of(lines)));
    }

    @Test
    void shouldFindNothingInATidyFile()
    {
        assertEquals(List.of(), SourceRules.findings(
            "a/src/test/java/ATest.java", List.of(LICENCE, "import java.util.List;", "    @Test", "    List<String> a;")));
    }

    private static void assertFinds(final String expected, final String path, final String... lines)
    {
        final List<String> findings = SourceRules.findings(path, List.of(lines));
        assertEquals(1, findings.size(), () -> "findings: " + findings);
        assertTrue(findings.get(0).contains(expected), () -> findings.get(0));
    }
}
