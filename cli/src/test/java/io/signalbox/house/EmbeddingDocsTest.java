// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The guides show programs as they are: every block of code is a part of a sample that the build compiles and runs. */
class EmbeddingDocsTest
{
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root"));
    private static final Path SAMPLES = ROOT.resolve("samples");
    private static final Path SAMPLE = SAMPLES.resolve("embedding");
    private static final int MOST_README_LINES = 40;

    @ParameterizedTest
    @CsvSource({"docs/embedding.md,22", "docs/routed-experts.md,4", "docs/metrics.md,2", "README.md,1", "docs/testing.md,6"})
    void shouldShowPartsOfTheSamples(final String page, final int blocks) throws IOException
    {
        final List<String> shown = blocks(Files.readString(ROOT.resolve(page)));
        final String sources = sources();
        assertEquals(List.of(), shown.stream().filter(block -> !sources.contains(block)).toList());
        assertEquals(blocks, shown.size());
    }

    @Test
    void shouldFitTheFirstProgramIntoFortyLines() throws IOException
    {
        final String block = blocks(Files.readString(ROOT.resolve("README.md"))).get(0);
        assertTrue(block.lines().count() <= MOST_README_LINES, block.lines().count() + " lines");
        assertTrue(block.contains("public static void main"), block);
    }

    @Test
    void shouldNameTheMicrometerOfThisBuildInItsPom() throws IOException
    {
        final String version = Files.readAllLines(ROOT.resolve("pom.xml")).stream()
            .filter(line -> line.contains("<micrometer.version>")).findFirst().orElseThrow().replaceAll("\\s*<[^>]*>", "");
        assertTrue(Files.readString(SAMPLE.resolve("pom.xml")).contains(
            "<artifactId>micrometer-registry-prometheus</artifactId>\n      <version>" + version + "</version>"), version);
    }

    /** Blocks of Java and XML. */
    private static List<String> blocks(final String page)
    {
        final List<String> blocks = new ArrayList<>();
        for (final String fence : List.of("```java\n", "```xml\n"))
        {
            for (int begin = page.indexOf(fence); begin >= 0; begin = page.indexOf(fence, begin + 1))
            {
                blocks.add(page.substring(begin + fence.length(), page.indexOf("```\n", begin + fence.length())));
            }
        }
        return blocks;
    }

    private static String sources() throws IOException
    {
        final StringBuilder sources = new StringBuilder(Files.readString(SAMPLE.resolve("pom.xml")));
        try (Stream<Path> files = Files.walk(SAMPLES))
        {
            for (final Path file : files.filter(path -> path.toString().endsWith(".java")).sorted().toList())
            {
                sources.append(Files.readString(file));
            }
        }
        return sources.toString();
    }
}
