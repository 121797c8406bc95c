// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** Files of recorded vectors: those given by {@code -Dsignalbox.vectors=DIR}, else those that come with the project. */
final class VectorFiles
{
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private VectorFiles()
    {
    }

    static Path directory()
    {
        final String given = System.getProperty("signalbox.vectors");
        if (given == null)
        {
            return committed();
        }
        // A relative path means what it meant where Maven was started, not where it runs the tests of a module.
        final Path directory = Path.of(System.getProperty("signalbox.root", "")).resolve(given);
        if (!Files.isDirectory(directory))
        {
            throw new IllegalArgumentException(
                "signalbox.vectors=" + given + " is not a directory; give one that holds .jsonl or .jsonl.gz files.");
        }
        return directory;
    }

    private static Path committed()
    {
        try
        {
            return Path.of(VectorFiles.class.getResource("/conformance").toURI());
        }
        catch (final URISyntaxException e)
        {
            throw new IllegalStateException(e);
        }
    }

    static List<Path> find(final Path directory)
    {
        try (Stream<Path> files = Files.walk(directory))
        {
            return files.filter(file -> file.getFileName().toString().matches(".*\\.jsonl(\\.gz)?"))
                .filter(Files::isRegularFile).sorted().toList();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** All lines, the header first. */
    static List<JsonNode> read(final Path file)
    {
        try (InputStream bytes = Files.newInputStream(file);
            InputStream plain = file.toString().endsWith(".gz") ? new GZIPInputStream(bytes) : bytes;
            BufferedReader reader = new BufferedReader(new InputStreamReader(plain, StandardCharsets.UTF_8)))
        {
            return reader.lines().filter(line -> !line.isBlank()).map(VectorFiles::parse).toList();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(file + " cannot be read", e);
        }
    }

    static JsonNode parse(final String line)
    {
        try
        {
            return MAPPER.readTree(line);
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException("not a JSON line: " + line.substring(0, Math.min(80, line.length())), e);
        }
    }
}
