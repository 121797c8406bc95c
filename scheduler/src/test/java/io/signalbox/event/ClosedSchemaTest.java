// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Version 5 of the schema is closed: messages, values and fields are only added, each with its {@code sinceVersion}.
 * Messages of outputs get no field, because a replay writes outputs again and compares all bytes with the recorded ones.
 */
final class ClosedSchemaTest
{
    private static final int CLOSED = 5;
    private static final int FIRST_OUTPUT = 20;
    private static final int FIRST_RECORD = 40;
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root"));
    private static final Path SCHEMA = ROOT.resolve("scheduler/src/main/sbe/signalbox.xml");
    private static final Path LIST = ROOT.resolve("scheduler/src/test/resources/schema-version-5.txt");

    private static Element schema(final String text) throws Exception
    {
        final Document document = DocumentBuilderFactory.newInstance().newDocumentBuilder()
            .parse(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
        return document.getDocumentElement();
    }

    /** Each element of version 5 in its order: what a reader of a journal depends on. */
    private static List<String> closed(final Element schema)
    {
        final List<String> lines = new ArrayList<>();
        lines.add(schema.getAttribute("id") + " " + schema.getAttribute("byteOrder"));
        add(schema, "", Integer.parseInt(schema.getAttribute("version")), lines);
        return lines;
    }

    private static void add(final Element parent, final String path, final int version, final List<String> lines)
    {
        final Set<String> ids = new HashSet<>();
        String added = "";
        final NodeList nodes = parent.getChildNodes();
        for (int i = 0; i < nodes.getLength(); i++)
        {
            final Node node = nodes.item(i);
            if (!(node instanceof Element child))
            {
                continue;
            }
            final String name = path + "/" + child.getAttribute("name");
            final String id = child.getAttribute("id");
            assertTrue(id.isEmpty() || ids.add(id), name + " has the id " + id + " of another one");
            final String since = child.getAttribute("sinceVersion");
            if (!since.isEmpty())
            {
                assertTrue(Integer.parseInt(since) > CLOSED && Integer.parseInt(since) <= version,
                    name + " is since version " + since + ", and the schema has version " + version);
                assertTrue(!isOutput(parent), name + " is an addition to an output; add a message");
                added = child.getTagName();
                continue;
            }
            assertTrue(parent.getTagName().equals("sbe:messageSchema") || parent.getTagName().equals("types") ||
                !added.equals(child.getTagName()), name + " is behind an addition");
            lines.add(line(child, name));
            add(child, name, version, lines);
        }
    }

    /** Whether this is a message of an output, or a part of one. */
    private static boolean isOutput(final Element element)
    {
        if (element.getTagName().equals("group"))
        {
            return isOutput((Element)element.getParentNode());
        }
        final int id = element.getTagName().equals("sbe:message") ? Integer.parseInt(element.getAttribute("id")) : -1;
        return id >= FIRST_OUTPUT && id < FIRST_RECORD;
    }

    private static String line(final Element element, final String name)
    {
        final StringBuilder line = new StringBuilder(element.getTagName() + " " + name);
        for (final String attribute : List.of("id", "type", "primitiveType", "encodingType", "dimensionType", "length"))
        {
            final String value = element.getAttribute(attribute);
            line.append(value.isEmpty() ? "" : " " + attribute + "=" + value);
        }
        return line + (element.getTagName().equals("validValue") ? " " + element.getTextContent() : "");
    }

    @Test
    void shouldHaveEverythingOfVersion5AsItWas() throws Exception
    {
        final List<String> lines = closed(schema(Files.readString(SCHEMA)));
        if (Boolean.getBoolean("signalbox.write") && Files.notExists(LIST))
        {
            Files.write(LIST, lines);
        }
        assertEquals(Files.readAllLines(LIST), lines, "add with sinceVersion, and change nothing else");
    }

    @Test
    void shouldFindChangesThatAreNoAdditions() throws Exception
    {
        final String text = Files.readString(SCHEMA);
        final List<String> before = closed(schema(text));
        final String field = "<field name=\"timeNanos\" id=\"1\" type=\"int64\"/>";
        final String more = "<field name=\"more\" id=\"99\" type=\"int64\" sinceVersion=\"6\"/>";
        final String six = text.replace("version=\"5\"", "version=\"6\"");

        assertTrue(!closed(schema(text.replaceFirst(field, field.replace("int64", "int32")))).equals(before), "type");
        assertTrue(!closed(schema(text.replaceFirst(field, ""))).equals(before), "removal");
        assertTrue(!closed(schema(text.replaceFirst(field, field + more.replace(" sinceVersion=\"6\"", "")))).equals(before),
            "without its version");
        assertThrows(AssertionError.class, () -> closed(schema(six.replaceFirst(field, more + field))), "ahead");
        assertThrows(AssertionError.class, () -> closed(schema(text.replaceFirst(field, field + more))), "later version");
        final String ofCommit = "<field name=\"verdict\" id=\"17\" type=\"EntryVerdict\"/>";
        assertTrue(six.contains(ofCommit), "the last field of an entry of a Commit");
        assertThrows(AssertionError.class, () -> closed(schema(six.replaceFirst(ofCommit, ofCommit + more))), "an output");
        final String last = "<field name=\"version\" id=\"2\" type=\"int32\"/>";
        assertEquals(before, closed(schema(six.replaceFirst(last, last + more))), "an addition");
    }
}
