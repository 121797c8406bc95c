// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * docs/json.md and docs/schemas say of every document what its record declares. {@code -Dsignalbox.write=true} writes them
 * anew.
 */
class DocumentFilesTest
{
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root"));
    private static final Path PAGE = ROOT.resolve("docs/json.md");
    private static final Path SCHEMAS = ROOT.resolve("docs/schemas");
    private static final Pattern DECLARED = Pattern.compile("^ *@DocumentSchema\\(\"([^\"]+)\"\\)", Pattern.MULTILINE);

    @Test
    void shouldHaveTheTablesThatTheRecordsDeclare() throws IOException
    {
        final String page = Files.readString(PAGE);
        String wanted = page;
        final Map<Class<?>, String> places = new HashMap<>();
        for (final Class<?> document : DocumentTypes.ALL)
        {
            final Matcher section = Pattern.compile(
                "(?ms)^## " + Pattern.quote(DocumentPage.schema(document).replaceAll("/.*", "")) + "/\\d+\n.*?(?=^## |\\z)")
                .matcher(wanted);
            assertTrue(section.find(), "the page has no section " + DocumentPage.schema(document));
            wanted = wanted.substring(0, section.start()) + DocumentPage.section(document, places) +
                (section.end() == wanted.length() ? "" : "\n") + wanted.substring(section.end());
        }
        if (Boolean.getBoolean("signalbox.write"))
        {
            Files.writeString(PAGE, wanted);
            return;
        }
        assertEquals(wanted, page, "write it with -Dsignalbox.write=true");
    }

    @Test
    void shouldHaveTheSchemasThatTheRecordsDeclare() throws IOException
    {
        final Map<String, String> declared = new TreeMap<>();
        for (final Class<?> document : DocumentTypes.ALL)
        {
            declared.put(SchemaFile.name(document), SchemaFile.text(document));
        }
        final Map<String, String> files = new TreeMap<>();
        try (Stream<Path> found = Files.list(SCHEMAS))
        {
            for (final Path file : found.toList())
            {
                files.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        if (Boolean.getBoolean("signalbox.write"))
        {
            for (final Map.Entry<String, String> schema : declared.entrySet())
            {
                Files.writeString(SCHEMAS.resolve(schema.getKey()), schema.getValue());
            }
            files.keySet().removeAll(declared.keySet());
            assertEquals(new TreeSet<>(), files.keySet(), "files of no record");
            return;
        }
        assertEquals(declared, files, "write them with -Dsignalbox.write=true");
    }

    @Test
    void shouldListEveryRecordThatNamesASchema() throws IOException
    {
        final TreeSet<String> declared = new TreeSet<>();
        for (final String module : List.of("analysis", "cli"))
        {
            try (Stream<Path> sources = Files.walk(ROOT.resolve(module).resolve("src/main/java")))
            {
                for (final Path source : sources.filter(file -> file.toString().endsWith(".java")).toList())
                {
                    final Matcher schema = DECLARED.matcher(Files.readString(source));
                    while (schema.find())
                    {
                        declared.add(schema.group(1));
                    }
                }
            }
        }

        assertEquals(declared, DocumentTypes.ALL.stream().map(DocumentPage::schema)
            .collect(Collectors.toCollection(TreeSet::new)));
    }
}
