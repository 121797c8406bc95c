// SPDX-License-Identifier: Apache-2.0
package io.signalbox.calibrate;

import io.signalbox.ConfigException;
import io.signalbox.files.FileFault;
import io.signalbox.files.InputFile;
import io.signalbox.workload.TraceText;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A CSV file with a line of column names, plain or gzipped; a field may be quoted. */
public final class CsvRecords
{
    private static final int MOST_ROWS = 1_000_000;
    private static final int MOST_LINE_CHARS = 1 << 20;
    private static final long MOST_CHARS = 1L << 30;

    private final Path file;
    private final Map<String, Integer> columns = new HashMap<>();
    private final List<String[]> rows = new ArrayList<>();
    private int current = -1;

    private CsvRecords(final Path file)
    {
        this.file = file;
    }

    /**
     * @param needed columns that the file must have.
     * @throws ConfigException that names the file and its fault.
     */
    public static CsvRecords read(final Path file, final List<String> needed)
    {
        final String unusable = InputFile.fault(file);
        if (unusable != null)
        {
            throw new ConfigException(file + " " + unusable + "; give the path of a CSV file.");
        }
        final CsvRecords records = new CsvRecords(file);
        try (TraceText lines = TraceText.open("CSV file", file, MOST_LINE_CHARS, MOST_CHARS))
        {
            records.readLines(lines, needed);
        }
        catch (final IOException e)
        {
            throw new ConfigException(file + " cannot be read (" + FileFault.reason(e) +
                "); give an undamaged CSV file, plain or gzipped.");
        }
        return records;
    }

    private void readLines(final TraceText lines, final List<String> needed) throws IOException
    {
        final String header = lines.nextLine();
        final String[] names = fields(header == null ? "" : header.replace("\uFEFF", ""));
        for (int i = 0; i < names.length; i++)
        {
            columns.put(names[i].strip(), i);
        }
        for (final String column : needed)
        {
            if (!columns.containsKey(column))
            {
                throw new ConfigException(file + " has no column '" + column + "'; give a CSV file with the columns " +
                    String.join(", ", needed) + ".");
            }
        }
        for (String line = lines.nextLine(); line != null; line = lines.nextLine())
        {
            if (rows.size() == MOST_ROWS)
            {
                throw new ConfigException(file + " has more than " + MOST_ROWS + " rows; give a smaller file.");
            }
            if (!line.isBlank())
            {
                rows.add(fields(line));
            }
        }
    }

    private static String[] fields(final String line)
    {
        final List<String> fields = new ArrayList<>();
        final StringBuilder field = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < line.length(); i++)
        {
            final char character = line.charAt(i);
            if (character == '"')
            {
                final boolean isEscaped = quoted && i + 1 < line.length() && line.charAt(i + 1) == '"';
                if (isEscaped)
                {
                    field.append(character);
                    i++;
                }
                else
                {
                    quoted = !quoted;
                }
            }
            else if (character == ',' && !quoted)
            {
                fields.add(field.toString());
                field.setLength(0);
            }
            else
            {
                field.append(character);
            }
        }
        fields.add(field.toString());
        return fields.toArray(new String[0]);
    }

    /** Moves to the next row, if there is one. */
    public boolean next()
    {
        return ++current < rows.size();
    }

    public boolean has(final String column)
    {
        return columns.containsKey(column);
    }

    /** Empty if the row, or the file, lacks the column. */
    public String text(final String column)
    {
        final Integer index = columns.get(column);
        return index == null || index >= rows.get(current).length ? "" : rows.get(current)[index].strip();
    }

    /** @param absent the value of an empty field. */
    public int count(final String column, final int absent)
    {
        final double number = number(column, absent);
        if (number != Math.rint(number) || Math.abs(number) > Integer.MAX_VALUE)
        {
            throw fault(column, "a whole number");
        }
        return (int)number;
    }

    /** @param absent the value of an empty field. */
    public double number(final String column, final double absent)
    {
        final String text = text(column);
        if (text.isEmpty())
        {
            return absent;
        }
        try
        {
            return Double.parseDouble(text);
        }
        catch (final NumberFormatException e)
        {
            throw fault(column, "a number");
        }
    }

    /** A fault of the current row. */
    public ConfigException fault(final String column, final String expected)
    {
        final String text = text(column).replaceAll("\\p{Cntrl}", " ");
        return new ConfigException(file + ", row " + (current + 1) + " after the header: " + column + "='" +
            text.substring(0, Math.min(40, text.length())) + "' is not " + expected + "; correct the row.");
    }
}
