// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The POMs, as a project that depends on a module sees them. */
final class PomRulesTest
{
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root"));
    private static final List<String> PROGRAMS = List.of("bench", "cli");
    private static final List<String> WITHOUT_JAR = List.of("bom", "conformance");

    @Test
    void shouldNameEveryModuleOnce() throws Exception
    {
        final TreeSet<String> names = new TreeSet<>();
        final List<String> modules = new ArrayList<>(modules());
        modules.removeAll(WITHOUT_JAR);
        for (final String module : modules)
        {
            names.add(text(pom(module), "signalbox.module"));
            assertFalse(text(pom(module), "description").isEmpty(), module);
        }
        assertEquals(modules.size(), names.size(), names.toString());
        assertTrue(names.stream().allMatch(name -> name.matches("io\\.signalbox\\.[a-z]+")), names.toString());
    }

    @Test
    void shouldListEveryLibraryInTheBillOfMaterials() throws Exception
    {
        final Document parent = pom(".");
        final Document bom = pom("bom");
        final TreeSet<String> expected = new TreeSet<>();
        for (final String module : modules())
        {
            if (!WITHOUT_JAR.contains(module) && !PROGRAMS.contains(module))
            {
                expected.add("signalbox-" + module);
            }
        }
        final Element dependencies = (Element)bom.getElementsByTagName("dependencies").item(0);
        final TreeSet<String> listed = new TreeSet<>(texts(dependencies, "artifactId"));

        assertEquals(expected, listed);
        for (final String same : List.of(
            "version", "signalbox.url", "signalbox.scm", "signalbox.tag", "project.build.outputTimestamp"))
        {
            assertEquals(text(parent, same), text(bom, same), same);
        }
    }

    @Test
    void shouldLeaveTheSlf4jProviderToPrograms() throws Exception
    {
        for (final String module : modules())
        {
            final boolean provides = Files.readString(ROOT.resolve(module).resolve("pom.xml")).contains("slf4j-simple");
            assertTrue(!provides || PROGRAMS.contains(module), module + " brings a provider for SLF4J into other programs");
        }
    }

    /** The launcher builds without tests, and then no JAR of test classes exists. */
    @Test
    void shouldUseTestClassesOfOthersOnlyIfTestsAreBuilt() throws Exception
    {
        for (final String module : modules())
        {
            final String outside =
                Files.readString(ROOT.resolve(module).resolve("pom.xml")).replaceAll("(?s)<profiles>.*</profiles>", "");
            assertFalse(outside.contains("<type>test-jar</type>"), module + " has a test JAR outside of a profile");
        }
    }

    /** So that the build of a sample downloads nothing that this build did not. */
    @Test
    void shouldUseThePluginsOfThisBuildInTheSamples() throws Exception
    {
        final List<String> ours = plugins(pom("."));
        for (final String sample : List.of("backend-plugin", "embedding", "router-experiment", "router-plugin"))
        {
            final List<String> plugins = plugins(pom("samples/" + sample));
            assertTrue(ours.containsAll(plugins), sample + ": " + plugins + ", ours " + ours);
            assertEquals(4, plugins.size(), sample + ": resources, compiler, tests and jar");
        }
    }

    /** Names with versions. */
    private static List<String> plugins(final Document pom)
    {
        final List<String> plugins = new ArrayList<>();
        final NodeList elements = pom.getElementsByTagName("plugin");
        for (int i = 0; i < elements.getLength(); i++)
        {
            final Element plugin = (Element)elements.item(i);
            texts(plugin, "version").forEach(version -> plugins.add(texts(plugin, "artifactId").get(0) + " " + version));
        }
        return plugins;
    }

    @Test
    void shouldNameNoRepository() throws Exception
    {
        for (final String module : modules())
        {
            final Document pom = pom(module);
            for (final String element : List.of("repositories", "pluginRepositories", "distributionManagement"))
            {
                assertEquals(0, pom.getElementsByTagName(element).getLength(), module + ": " + element);
            }
        }
    }

    private static List<String> modules() throws Exception
    {
        return texts((Element)pom(".").getElementsByTagName("modules").item(0), "module");
    }

    private static Document pom(final String module) throws Exception
    {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder()
            .parse(ROOT.resolve(module).resolve("pom.xml").toFile());
    }

    /** The first element of this name. */
    private static String text(final Document pom, final String name)
    {
        return pom.getElementsByTagName(name).item(0).getTextContent();
    }

    private static List<String> texts(final Element parent, final String name)
    {
        final List<String> texts = new ArrayList<>();
        final NodeList elements = parent.getElementsByTagName(name);
        for (int i = 0; i < elements.getLength(); i++)
        {
            texts.add(elements.item(i).getTextContent());
        }
        return texts;
    }
}
