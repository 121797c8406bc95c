// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.segment.Chain;
import io.signalbox.journal.segment.RecordType;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Compares docs/journal.md with the schema and the writer. */
final class JournalFormatTest
{
    private static final Pattern GROUP = Pattern.compile("repeating\\s+group `(\\w+)`, entries of (\\d+)(?: fixed)? bytes");
    private static final Pattern VARIABLE_DATA = Pattern.compile("`(\\w+)`\\s+\\((var\\w+)");
    private static final Map<String, Integer> BYTES =
        Map.of("int64", 8, "double", 8, "int32", 4, "uint32", 4, "float", 4, "uint16", 2);

    private final Path root = Path.of(System.getProperty("signalbox.root"));

    @Test
    void shouldDescribeEveryFieldAtItsOffset() throws Exception
    {
        final String page = Files.readString(root.resolve("docs/journal.md"));
        final Document schema = DocumentBuilderFactory.newInstance().newDocumentBuilder()
            .parse(root.resolve("scheduler/src/main/sbe/signalbox.xml").toFile());
        final NodeList messages = schema.getElementsByTagName("sbe:message");
        assertTrue(messages.getLength() > 15);
        for (int i = 0; i < messages.getLength(); i++)
        {
            final Element message = (Element)messages.item(i);
            final String heading = "### " + message.getAttribute("name") + " (" + message.getAttribute("id") + ")\n";
            assertTrue(page.contains(heading), "docs/journal.md lacks " + heading);
            final int from = page.indexOf(heading) + heading.length();
            final int to = page.indexOf("\n### ", from);
            final String section = page.substring(from, to);
            assertEquals(rows(message), rowsOf(section), heading);
            assertEquals(groups(message), found(section, GROUP), heading);
            assertEquals(variableData(message), found(section, VARIABLE_DATA), heading);
            final int block = blockBytes(message);
            assertTrue(block == 0 || section.contains("Block of " + block + " bytes"), heading + " has " + block + " bytes");
        }
    }

    @Test
    void shouldListEveryValueOfEveryEnumeration() throws Exception
    {
        final String page = Files.readString(root.resolve("docs/journal.md"));
        final Document schema = DocumentBuilderFactory.newInstance().newDocumentBuilder()
            .parse(root.resolve("scheduler/src/main/sbe/signalbox.xml").toFile());
        final NodeList enumerations = schema.getElementsByTagName("enum");
        assertTrue(enumerations.getLength() > 10);
        final List<String> expected = new ArrayList<>();
        for (int i = 0; i < enumerations.getLength(); i++)
        {
            final Element enumeration = (Element)enumerations.item(i);
            final String values = children(enumeration).stream()
                .map(value -> value.getTextContent() + " " + value.getAttribute("name")).collect(Collectors.joining(", "));
            expected.add("| " + enumeration.getAttribute("name") + " | " + values + " |");
        }
        final String section = page.substring(page.indexOf("### Enumerations"));
        assertEquals(expected, section.lines().filter(line -> line.matches("\\| \\w+ \\| \\d+ .*")).toList());
    }

    @Test
    void shouldListEveryEnding() throws Exception
    {
        final String page = Files.readString(root.resolve("docs/journal.md"));
        for (final Ending ending : Ending.values())
        {
            assertTrue(page.lines().anyMatch(line -> line.startsWith("  | " + ending.code() + " |")), ending.toString());
        }
    }

    private static List<String> groups(final Element message)
    {
        return children(message).stream().filter(child -> child.getTagName().equals("group"))
            .map(group -> group.getAttribute("name") + " " + blockBytes(group)).toList();
    }

    /** Of the message and of its groups, in the order of the schema. */
    private static List<String> variableData(final Element element)
    {
        final List<String> found = new ArrayList<>();
        for (final Element child : children(element))
        {
            if (child.getTagName().equals("data"))
            {
                found.add(child.getAttribute("name") + " " + child.getAttribute("type"));
            }
            else if (child.getTagName().equals("group"))
            {
                found.addAll(variableData(child));
            }
        }
        return found;
    }

    private static int blockBytes(final Element element)
    {
        return children(element).stream().filter(child -> child.getTagName().equals("field"))
            .mapToInt(field -> BYTES.getOrDefault(field.getAttribute("type"), 1)).sum();
    }

    private static List<String> found(final String section, final Pattern pattern)
    {
        return pattern.matcher(section).results().map(match -> match.group(1) + " " + match.group(2)).toList();
    }

    private static List<String> rows(final Element message)
    {
        final List<String> rows = new ArrayList<>();
        int offset = 0;
        for (final Element child : children(message))
        {
            if (child.getTagName().equals("field"))
            {
                rows.add("| " + offset + " | " + child.getAttribute("type") + " | " + child.getAttribute("name") + " |");
                offset += BYTES.getOrDefault(child.getAttribute("type"), 1);
            }
            else if (child.getTagName().equals("group"))
            {
                rows.addAll(rows(child));
            }
        }
        return rows;
    }

    private static List<Element> children(final Element parent)
    {
        final List<Element> elements = new ArrayList<>();
        for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling())
        {
            if (node instanceof Element)
            {
                elements.add((Element)node);
            }
        }
        return elements;
    }

    private static List<String> rowsOf(final String section)
    {
        return section.lines().filter(line -> line.matches("\\| \\d+ \\|.*"))
            .map(line -> line.substring(0, line.indexOf('|', line.indexOf('|', line.indexOf('|', 1) + 1) + 1) + 1)).toList();
    }

    @Test
    void shouldLinkTheVectorsOfThePage()
    {
        final Chain chain = new Chain();
        final byte[] payload = "signalbox".getBytes(StandardCharsets.US_ASCII);
        final long first =
            chain.next(Chain.START, 0, RecordType.RUN_DESCRIPTION, 0, payload, 0, payload.length);
        final long second = chain.next(first, 1, RecordType.GROUP, 1000, payload, 0, 0);

        assertEquals("64f5a26fb1564be1", Chain.text(first));
        assertEquals("4209bffae991cc26", Chain.text(second));
    }
}
