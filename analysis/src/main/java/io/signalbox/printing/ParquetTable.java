// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.inspect.JournalQuery;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.journal.RunMoment;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the rows of a table to a Parquet file as they come. Times are doubles in the unit of the other forms: seconds or
 * milliseconds.
 */
public final class ParquetTable implements JournalQuery.RowReceiver
{
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MILLI = 1e6;

    private final NewFile file;
    private final List<TableColumn> columns;
    private final List<ParquetColumn> values = new ArrayList<>();
    private final ParquetFile parquet;
    private final long limit;
    private long rows;

    /** @param limit rows to write; more are only counted. */
    public ParquetTable(final NewFile file, final List<TableColumn> columns, final long limit)
    {
        this.file = file;
        this.columns = columns;
        this.limit = limit;
        for (final TableColumn column : columns)
        {
            values.add(new ParquetColumn(column.name(), switch (column.kind())
            {
                case NUMBER -> ParquetColumn.Type.INT64;
                case SECONDS, MILLISECONDS, REAL -> ParquetColumn.Type.DOUBLE;
                case TEXT -> ParquetColumn.Type.TEXT;
            }));
        }
        try
        {
            parquet = new ParquetFile(file, values);
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean isFull()
    {
        return rows >= limit;
    }

    @Override
    public void onRow(final Record row)
    {
        if (++rows > limit)
        {
            return;
        }
        for (int i = 0; i < columns.size(); i++)
        {
            final Object value = columns.get(i).value(row);
            values.get(i).add(value == null ? null : switch (columns.get(i).kind())
            {
                case SECONDS -> (Long)value / NANOS_PER_SECOND;
                case MILLISECONDS -> (Long)value / NANOS_PER_MILLI;
                case NUMBER -> (Long)((Number)value).longValue();
                case REAL, TEXT -> value;
            });
        }
        try
        {
            parquet.endRow();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Renames the file to its final name, and prints its number of rows.
     *
     * @param missing rows of routed experts that the table does not count; {@code null} if it counts none.
     */
    public void conclude(final PrintStream out, final JournalEnd end, final Long missing)
    {
        publish(out);
        if (missing != null && missing > 0)
        {
            out.printf("%-18s%s%n", "left out", TablePrinter.missingRows(missing));
        }
        out.printf("%-18s%s%n", "journal", JournalEndText.of(end));
        out.flush();
    }

    /** As {@link #conclude(PrintStream, JournalEnd, Long)}, for a table about one moment. */
    public void conclude(final PrintStream out, final RunMoment moment)
    {
        publish(out);
        MomentFacts.print(out, moment);
        out.flush();
    }

    private void publish(final PrintStream out)
    {
        try
        {
            parquet.end();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
        file.publish();
        out.printf("%-18s%s%n", "rows", rows <= limit ? Decimals.grouped(rows) :
            Decimals.grouped(limit) + " of " + Decimals.grouped(rows) + "; a higher --limit writes more");
        out.printf("%-18s%s%n", "file", Decimals.bytes(file.bytes()));
    }
}
