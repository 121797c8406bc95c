// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.DocumentSchema;
import io.signalbox.inspect.JournalQuery;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.journal.RunMoment;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/** Prints the rows of a table as they come: as text with columns, as JSON or as CSV. Holds no row. */
public final class TablePrinter implements JournalQuery.RowReceiver
{
    /** The form of a table. */
    public enum Form
    {
        TEXT, JSON, CSV
    }

    private static final int NUMBER_WIDTH = 9;
    private static final int TEXT_WIDTH = 20;
    private static final String GAP = "  ";

    private final PrintStream out;
    private final Form form;
    private final List<TableColumn> columns;
    private final long limit;
    private final Class<? extends Record> rowType;
    private final Path journal;
    /** {@code null} before the document has begun, and if the form is another one. */
    private JsonGenerator json;
    private boolean hasBegun;
    private long rows;

    /**
     * @param chosen columns to print as text or CSV; JSON has all.
     * @param limit  rows to print; more are only counted.
     */
    public TablePrinter(
        final PrintStream out,
        final Form form,
        final Path journal,
        final Class<? extends Record> rowType,
        final List<TableColumn> chosen,
        final long limit)
    {
        this.out = out;
        this.form = form;
        this.rowType = rowType;
        this.limit = limit;
        columns = chosen;
        this.journal = journal;
    }

    /** Not before the journal was read: a refusal prints nothing. */
    private void begin()
    {
        if (hasBegun)
        {
            return;
        }
        hasBegun = true;
        if (form == Form.CSV)
        {
            out.print(String.join(",", columns.stream().map(TableColumn::name).toList()) + "\n");
        }
        else if (form == Form.JSON)
        {
            try
            {
                json = document();
            }
            catch (final IOException e)
            {
                throw new UncheckedIOException(e);
            }
        }
    }

    private JsonGenerator document() throws IOException
    {
        final JsonGenerator generator = Json.FACTORY.createGenerator(out);
        generator.disable(JsonGenerator.Feature.FLUSH_PASSED_TO_STREAM);
        generator.writeStartObject();
        generator.writeStringField("schema", rowType.getAnnotation(DocumentSchema.class).value());
        generator.writeStringField("path", journal.toString());
        generator.writeArrayFieldStart("rows");
        return generator;
    }

    @Override
    public boolean isFull()
    {
        return rows >= limit;
    }

    /** Lets a reader of the output see every row so far. */
    public void flush()
    {
        if (json != null)
        {
            try
            {
                json.flush();
            }
            catch (final IOException e)
            {
                throw new UncheckedIOException(e);
            }
        }
        out.flush();
    }

    @Override
    public void onRow(final Record row)
    {
        begin();
        if (++rows > limit)
        {
            return;
        }
        switch (form)
        {
            case TEXT -> text(row);
            case CSV -> csv(row);
            case JSON ->
            {
                try
                {
                    json(row);
                }
                catch (final IOException e)
                {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private void text(final Record row)
    {
        if (rows == 1)
        {
            line(columns.stream().map(TableColumn::title).toArray(String[]::new));
        }
        final String[] texts = new String[columns.size()];
        for (int i = 0; i < texts.length; i++)
        {
            final Object value = columns.get(i).value(row);
            texts[i] = value == null ? ReportText.NO_DATA : Printable.text(forPeople(columns.get(i), value));
        }
        line(texts);
    }

    private void line(final String... texts)
    {
        final StringBuilder line = new StringBuilder();
        for (int i = 0; i < texts.length; i++)
        {
            final boolean isText = columns.get(i).kind() == TableColumn.Kind.TEXT;
            final int width = isText ? TEXT_WIDTH : Math.max(NUMBER_WIDTH, columns.get(i).title().length());
            final String padding = " ".repeat(Math.max(0, width - texts[i].length()));
            line.append(i == 0 ? "" : GAP).append(isText ? texts[i] + padding : padding + texts[i]);
        }
        out.print(line.toString().stripTrailing() + "\n");
    }

    private static String forPeople(final TableColumn column, final Object value)
    {
        return switch (column.kind())
        {
            case NUMBER -> Decimals.grouped(((Number)value).longValue());
            case SECONDS -> Decimals.text((Long)value / 1e9, 3);
            case MILLISECONDS -> Decimals.text((Long)value / 1e6, 3);
            case REAL -> Decimals.text((Double)value, 3);
            case TEXT -> (String)value;
        };
    }

    private void csv(final Record row)
    {
        final StringBuilder line = new StringBuilder();
        for (final TableColumn column : columns)
        {
            final Object value = column.value(row);
            line.append(column == columns.get(0) ? "" : ",");
            if (value != null)
            {
                line.append(column.kind() == TableColumn.Kind.TEXT ? ComparisonFiles.quoted((String)value) :
                    number(column, value));
            }
        }
        out.print(line.append('\n'));
    }

    private static String number(final TableColumn column, final Object value)
    {
        return switch (column.kind())
        {
            case SECONDS -> Decimals.seconds((Long)value).stripTrailingZeros().toPlainString();
            case MILLISECONDS -> Decimals.milliseconds((Long)value).stripTrailingZeros().toPlainString();
            case REAL -> Decimals.shortest((Double)value);
            case NUMBER, TEXT -> value.toString();
        };
    }

    private void json(final Record row) throws IOException
    {
        json.writeRaw(rows == 1 ? "\n" : "");
        JsonDocument.write(json, row);
        json.writeRaw('\n');
    }

    /**
     * Prints the end of a table that was read from a whole journal.
     *
     * @param missing rows of routed experts that the table does not count; {@code null} if it counts none.
     */
    public void conclude(final JournalEnd end, final Long missing)
    {
        concludeRows();
        if (form == Form.TEXT)
        {
            if (missing != null && missing > 0)
            {
                fact("left out", missingRows(missing));
            }
            fact("journal", JournalEndText.of(end));
        }
        else if (form == Form.JSON)
        {
            closeDocument(missing == null ? new TableDocument.OfJournal(end) : new TableDocument.OfExperts(missing, end));
        }
        out.flush();
    }

    /** The rows that a table of routed experts does not count. */
    public static String missingRows(final long missing)
    {
        return Decimals.counted(missing, "token") + " whose rows of routed experts are missing";
    }

    /** Prints the end of a table about one moment. */
    public void conclude(final RunMoment moment)
    {
        concludeRows();
        if (form == Form.TEXT)
        {
            MomentFacts.print(out, moment);
        }
        else if (form == Form.JSON)
        {
            closeDocument(TableDocument.OfMoment.of(moment));
        }
        out.flush();
    }

    private void concludeRows()
    {
        begin();
        if (form == Form.TEXT)
        {
            out.print(rows == 0 ? "" : "\n");
            fact("rows", rows <= limit ? Decimals.grouped(rows) :
                Decimals.grouped(limit) + " of " + Decimals.grouped(rows) + "; --limit shows more");
            final int all = DocumentField.of(rowType).size();
            if (columns.size() < all)
            {
                fact("columns", columns.size() + " of " + all + "; --columns all shows all");
            }
        }
    }

    private void fact(final String name, final String value)
    {
        out.printf("%-18s%s%n", name, value);
    }

    private void closeDocument(final TableDocument.End end)
    {
        try
        {
            json.writeEndArray();
            json.writeNumberField("count", rows);
            JsonDocument.fields(json, end);
            json.writeEndObject();
            json.writeRaw('\n');
            json.flush();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
