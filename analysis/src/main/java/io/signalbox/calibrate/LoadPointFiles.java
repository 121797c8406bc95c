// SPDX-License-Identifier: Apache-2.0
package io.signalbox.calibrate;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.signalbox.ConfigException;
import io.signalbox.files.FileFault;
import io.signalbox.files.InputFile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads measured points from saved files: a CSV table, results of {@code vllm bench serve} or AIPerf in JSON, and scrapes of
 * vLLM's {@code /metrics}. The content says what a file is.
 */
public final class LoadPointFiles
{
    private static final String KINDS = "a CSV file with concurrency, isl, osl, ttft_ms and tpot_ms, a result of " +
        "'vllm bench serve' or AIPerf in JSON, or a scrape of vLLM's /metrics";
    private static final long MAX_BYTES = 1L << 28;
    private static final String[] CONCURRENCY = {"concurrency", "max_concurrency", "batch_size"};
    private static final String[] PROMPT = {"isl", "prompt_tokens", "input_tokens", "input_len"};
    private static final String[] OUTPUT = {"osl", "output_tokens", "output_len"};
    private static final String[] TTFT = {"ttft_ms", "mean_ttft_ms", "silicon_ttft_ms"};
    private static final String[] TPOT = {"tpot_ms", "mean_tpot_ms", "silicon_tpot_ms", "itl_ms"};

    private final List<LoadPoint> points = new ArrayList<>();
    private MetricsScrape lastScrape;

    private LoadPointFiles()
    {
    }

    /**
     * @param files in the order in which they were saved: each scrape counts from the one before it.
     * @throws ConfigException that names a file and its fault.
     */
    public static List<LoadPoint> read(final List<Path> files)
    {
        final LoadPointFiles reader = new LoadPointFiles();
        for (final Path file : files)
        {
            final int before = reader.points.size();
            reader.readFile(file);
            for (final LoadPoint point : reader.points.subList(before, reader.points.size()))
            {
                if (point.fault() != null)
                {
                    throw new ConfigException(point.source() + " has " + point.fault() + "; correct it.");
                }
            }
        }
        return List.copyOf(reader.points);
    }

    private void readFile(final Path file)
    {
        final String unusable = InputFile.fault(file);
        if (unusable != null)
        {
            throw new ConfigException(file + " " + unusable + "; give the path of " + KINDS + ".");
        }
        try
        {
            if (Files.size(file) > MAX_BYTES)
            {
                throw new ConfigException(file + " has more than " + MAX_BYTES + " bytes; give " + KINDS + ".");
            }
            final String first = firstLine(file);
            if (first.startsWith("{"))
            {
                readResults(file);
            }
            else if (first.startsWith("#") || first.startsWith("vllm") || first.startsWith("python_"))
            {
                readScrape(file);
            }
            else
            {
                readTable(file);
            }
        }
        catch (final IOException e)
        {
            throw new ConfigException(file + " cannot be read (" + FileFault.reason(e) + "); give " + KINDS + ".");
        }
    }

    private static String firstLine(final Path file) throws IOException
    {
        try (var bytes = Files.newInputStream(file))
        {
            return new String(bytes.readNBytes(1 << 12), StandardCharsets.UTF_8).strip();
        }
    }

    private void readScrape(final Path file) throws IOException
    {
        final MetricsScrape scrape = MetricsScrape.read(file, Files.readString(file));
        points.add(scrape.since(lastScrape).point(file));
        lastScrape = scrape;
    }

    private void readTable(final Path file)
    {
        final CsvRecords table = CsvRecords.read(file, List.of());
        final String concurrency = column(file, table, CONCURRENCY);
        final String prompt = column(file, table, PROMPT);
        final String output = column(file, table, OUTPUT);
        final String ttft = column(file, table, TTFT);
        final String tpot = column(file, table, TPOT);
        final Set<String> models = new LinkedHashSet<>();
        for (int row = 1; table.next(); row++)
        {
            models.add(table.text("model_path"));
            points.add(new LoadPoint(file + ", row " + row + " after the header,", table.count(prompt, 0),
                table.count(output, 0), table.count(concurrency, 0), table.number(ttft, Double.NaN),
                table.number(tpot, Double.NaN)));
        }
        if (models.size() > 1)
        {
            throw new ConfigException(file + " has points of several models: " + String.join(", ", models) +
                "; give the points of one deployment.");
        }
        if (models.isEmpty())
        {
            throw new ConfigException(file + " has no row; give " + KINDS + ".");
        }
    }

    private static String column(final Path file, final CsvRecords table, final String[] names)
    {
        for (final String name : names)
        {
            if (table.has(name))
            {
                return name;
            }
        }
        throw new ConfigException(file + " has no column '" + names[0] + "' (or " +
            String.join(", ", List.of(names).subList(1, names.length)) + "); give " + KINDS + ".");
    }

    /** A file may have several results, one after another. */
    private void readResults(final Path file) throws IOException
    {
        try (JsonParser parser = new JsonFactory().createParser(file.toFile()))
        {
            int results = 0;
            while (parser.nextToken() == JsonToken.START_OBJECT)
            {
                final Map<String, String> leaves = new HashMap<>();
                readLeaves(parser, "", leaves);
                results++;
                points.add(point(file, results, leaves));
            }
        }
        catch (final JsonProcessingException e)
        {
            throw new ConfigException(file + " is not valid JSON (line " +
                (e.getLocation() == null ? 0 : e.getLocation().getLineNr()) + "); give " + KINDS + ".");
        }
    }

    /** Scalars by the path of their names; arrays are skipped. */
    private static void readLeaves(final JsonParser parser, final String prefix, final Map<String, String> leaves)
        throws IOException
    {
        while (parser.nextToken() == JsonToken.FIELD_NAME)
        {
            final String name = prefix + parser.currentName();
            final JsonToken value = parser.nextToken();
            if (value == JsonToken.START_OBJECT && name.length() < 200)
            {
                readLeaves(parser, name + ".", leaves);
            }
            else if (value.isScalarValue())
            {
                leaves.put(name, parser.getText());
            }
            else
            {
                parser.skipChildren();
            }
        }
    }

    private static LoadPoint point(final Path file, final int number, final Map<String, String> leaves)
    {
        final String source = file + (number == 1 ? "" : ", result " + number + ",");
        if (leaves.containsKey("mean_ttft_ms"))
        {
            return new BenchmarkResult(source, leaves).ofServe();
        }
        if (leaves.containsKey("time_to_first_token.avg"))
        {
            return new BenchmarkResult(source, leaves).ofAiperf();
        }
        throw new ConfigException(source + " has neither mean_ttft_ms, as 'vllm bench serve' writes it, nor " +
            "time_to_first_token.avg, as AIPerf does; give " + KINDS + ".");
    }
}
