// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import io.signalbox.files.FileFault;
import io.signalbox.files.InputFile;

import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads CSV traces: Azure's, with moments in UTC, and BurstGPT's, with seconds. */
final class ListedCsvReader
{
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final Path file;
    private final TraceFormat format;
    private final List<ListedRequest> listed = new ArrayList<>();
    private int line;
    private long firstSecond = Long.MIN_VALUE;

    ListedCsvReader(final Path file, final TraceFormat format)
    {
        this.file = file;
        this.format = format;
    }

    List<ListedRequest> read()
    {
        final String unusable = InputFile.fault(file);
        if (unusable != null)
        {
            throw new ConfigException("the trace " + file + " " + unusable + "; give the path of a CSV file.");
        }
        try (TraceText lines = TraceText.open(TraceText.TRACE, file))
        {
            final String header = lines.nextLine();
            final int[] columns = columns(header == null ? "" : header.replace("\uFEFF", ""));
            line = 1;
            for (String text = lines.nextLine(); text != null; text = lines.nextLine())
            {
                line++;
                if (!text.isBlank())
                {
                    add(text.split(",", -1), columns);
                }
            }
        }
        catch (final IOException e)
        {
            throw new ConfigException("the trace " + file + " cannot be read after line " + line + " (" +
                FileFault.reason(e) + "); give an undamaged CSV file, plain or gzipped.");
        }
        return listed;
    }

    private int[] columns(final String header)
    {
        final List<String> names = Arrays.stream(header.split(",", -1)).map(String::strip).toList();
        final String[] wanted = format == TraceFormat.AZURE ?
            new String[] {"TIMESTAMP", "ContextTokens", "GeneratedTokens"} :
            new String[] {"Timestamp", "Request tokens", "Response tokens"};
        return Arrays.stream(wanted).mapToInt(name ->
        {
            if (!names.contains(name))
            {
                throw format.misread(file, "has no column '" + name + "'");
            }
            return names.indexOf(name);
        }).toArray();
    }

    private void add(final String[] fields, final int[] columns)
    {
        if (fields.length <= Arrays.stream(columns).max().orElse(0))
        {
            throw fault("has " + fields.length + " fields");
        }
        if (listed.size() == Workload.MAX_REQUESTS)
        {
            throw fault("is past the first " + Workload.MAX_REQUESTS + " requests");
        }
        listed.add(new ListedRequest(time(fields[columns[0]].strip()), 0, null,
            Math.max(1, tokens(fields[columns[1]].strip())), tokens(fields[columns[2]].strip()), null, 0));
    }

    private double time(final String text)
    {
        try
        {
            if (format == TraceFormat.BURSTGPT)
            {
                final double seconds = Double.parseDouble(text);
                if (seconds >= 0 && seconds < Long.MAX_VALUE)
                {
                    return seconds;
                }
                throw fault("has the time '" + TraceFault.printable(text) + "'");
            }
            final LocalDateTime moment = LocalDateTime.parse(text.replaceFirst("(?:Z|[+-]00:00)$", "").replace(' ', 'T'));
            final long second = moment.toEpochSecond(ZoneOffset.UTC);
            firstSecond = firstSecond == Long.MIN_VALUE ? second : firstSecond;
            return (double)(second - firstSecond) * NANOS_PER_SECOND + moment.getNano();
        }
        catch (final NumberFormatException | DateTimeParseException e)
        {
            throw fault("has the time '" + TraceFault.printable(text) + "'");
        }
    }

    private int tokens(final String text)
    {
        try
        {
            final double tokens = Double.parseDouble(text);
            if (tokens >= 0 && tokens <= SizeDistribution.MAX_SIZE && tokens == Math.rint(tokens))
            {
                return (int)tokens;
            }
        }
        catch (final NumberFormatException e)
        {
            // The sentence is the same.
        }
        throw fault("has '" + TraceFault.printable(text) + "' where a number of tokens belongs");
    }

    private ConfigException fault(final String fault)
    {
        return new ConfigException("the trace " + file + ", line " + line + ", " + fault + "; correct or remove the line.");
    }
}
