// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** Files of recorded vectors: those given by {@code -Dsignalbox.vectors=DIR}, else those that come with the project. */
final class VectorFiles
{
    private static final int SHOWN_CHARACTERS = 80;
    private static final ObjectMapper MAPPER = JsonMapper.builder()
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .build();

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
        // Relative to the root of the repository, wherever Maven was started and in whichever module it runs the tests.
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

    /** All files of vectors in a directory, which may be a symbolic link, and in those below it. */
    static List<Path> find(final Path directory)
    {
        try (Stream<Path> files = Files.walk(directory.toRealPath()))
        {
            return files.filter(file -> file.getFileName().toString().matches(".*\\.jsonl(\\.gz)?"))
                .filter(Files::isRegularFile).sorted().toList();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** The first line, which says what the file is. */
    static JsonNode header(final Path file)
    {
        return read(file, 1).get(0);
    }

    /** All lines, the header first. */
    static List<JsonNode> read(final Path file)
    {
        return read(file, Integer.MAX_VALUE);
    }

    private static List<JsonNode> read(final Path file, final int count)
    {
        final List<JsonNode> objects = new ArrayList<>();
        int number = 0;
        try (InputStream bytes = Files.newInputStream(file);
            InputStream plain = file.toString().endsWith(".gz") ? new GZIPInputStream(bytes) : bytes;
            BufferedReader reader = new BufferedReader(new InputStreamReader(plain, StandardCharsets.UTF_8.newDecoder())))
        {
            for (String line = reader.readLine(); line != null && objects.size() < count; line = reader.readLine())
            {
                number++;
                if (!line.isBlank())
                {
                    objects.add(parse(line));
                }
            }
        }
        catch (final IOException e)
        {
            throw new IllegalArgumentException(
                file + ", line " + (number + 1) + ": cannot be read (" + e.getMessage() + ")", e);
        }
        catch (final IllegalArgumentException e)
        {
            throw new IllegalArgumentException(file + ", line " + number + ": " + e.getMessage(), e);
        }
        if (objects.isEmpty())
        {
            throw new IllegalArgumentException(file + " is empty; its first line must say what it is.");
        }
        return objects;
    }

    static JsonNode parse(final String line)
    {
        final String shown = line.substring(0, Math.min(SHOWN_CHARACTERS, line.length()));
        try
        {
            final JsonNode node = MAPPER.readTree(line);
            if (node.isObject())
            {
                return node;
            }
        }
        catch (final JsonProcessingException e)
        {
            throw new IllegalArgumentException("not one JSON object: " + shown + " (" + e.getOriginalMessage() + ")", e);
        }
        throw new IllegalArgumentException("not a JSON object: " + shown);
    }
}
