// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Plain technical English in documents, comments and messages; for each phrase, a sample that contains it. */
class RegisterTest
{
    @Test
    void shouldWritePlainEnglishInEveryModule()
    {
        final Map<String, Register> modules = new TreeMap<>();
        for (final Path source : HouseSources.all())
        {
            final String path = HouseSources.relative(source);
            final boolean document = path.endsWith(".md") && !path.contains("/src/");
            final String module = document ? "documents" : path.contains("/src/") ? path.replaceFirst("/.*", "") : "build";
            modules.computeIfAbsent(module, name -> new Register()).read(path, HouseSources.lines(source));
        }
        final List<String> findings = new ArrayList<>();
        modules.forEach((module, register) -> register.findings().forEach(finding -> findings.add(module + ": " + finding)));

        assertTrue(findings.isEmpty(), () -> "\n" + String.join("\n", findings));
        assertTrue(modules.keySet().containsAll(
            List.of("backend-cuda", "build", "cli", "documents", "engine", "journal", "scheduler")),
            modules.keySet()::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "The name, null where capture is off.", "It is found where it happens.", "Whoever calls this", "the run goes on",
        "The count stands in the header.", "A page lies in memory.", "rows hang on blocks", "The writer is told the size.",
        "falls, then gives way to the default", "waits for ever", "a thread of its own", "refused, and named so",
        "something to mend outside", "What a backend is made of.", "It ends. What the caller sees is a sentence."})
    void shouldFindPhrasesInCommentsMessagesAndDocuments(final String phrase)
    {
        assertRegisterFinds("a/src/main/java/A.java", "/** " + phrase + " */");
        assertRegisterFinds("a/src/main/java/A.java", "    int a; // " + phrase);
        assertRegisterFinds("a/src/main/java/A.java", "    description = \"" + phrase + "\")");
        assertRegisterFinds("a/src/test/native/a.cpp", "    int a;  // " + phrase);
        assertRegisterFinds("a/src/test/native/a.h", "/* " + phrase + " */");
        assertRegisterFinds("a/pom.xml", "  <!-- " + phrase + " -->");
        assertRegisterFinds("a/pom.xml", "  <!--", "    " + phrase, "  -->");
        assertRegisterFinds("scripts/a", "    # " + phrase);
        assertRegisterFinds(".ci/run", "# " + phrase);
        assertRegisterFinds("docs/a.md", "* " + phrase);
        assertRegisterFinds("docs/a.md", "Text", phrase);
        assertEquals(List.of(), read("docs/a.md", "```", phrase, "```", "`" + phrase + "`").findings());
        assertEquals(List.of(), read("a/pom.xml", "<name>" + phrase + "</name>").findings());
        assertEquals(List.of(), read("signalbox", "echo '" + phrase + "'").findings());
    }

    @Test
    void shouldFindAPhraseThatBreaksAcrossLines()
    {
        assertRegisterFinds("a/src/test/java/A.java", "/**", " * A router gives", " * way to the default one.", " */");
    }

    @Test
    void shouldCountTheWordWhere()
    {
        final List<String> lines = new ArrayList<>(Collections.nCopies(199, "// plain"));
        lines.add("// a place where rows are kept");
        final Register enough = read("a/src/test/java/A.java", lines.toArray(new String[0]));
        assertEquals(List.of(), enough.findings());

        enough.read("a/src/test/java/B.java", List.of("// the file where one ends", "// where rows are"));
        assertEquals(List.of("'where' 3 times in 202 lines of prose, at most 10 in 1,000: use if or when for conditions"),
            enough.findings());
    }

    @Test
    void shouldFindNothingInPlainProse()
    {
        assertEquals(List.of(), read("docs/a.md", "# What is guaranteed", "", "What is a block? 64 bits stand for it.",
            "A driver that hangs is reported; `null where` is code.").findings());
    }

    private static Register read(final String path, final String... lines)
    {
        final Register register = new Register();
        register.read(path, List.of(lines));
        return register;
    }

    private static void assertRegisterFinds(final String path, final String... lines)
    {
        final List<String> findings =
            read(path, lines).findings().stream().filter(text -> !text.startsWith("'where'")).toList();
        assertEquals(1, findings.size(), () -> String.join("|", lines) + ": " + findings);
    }
}
