// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.inspect.JournalQuery;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.inspect.TableColumn;
import io.signalbox.journal.RunMoment;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

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
    private final String schema;
    private final Path journal;
    /** {@code null} before the document has begun, and if the form is another one. */
    private JsonGenerator json;
    private boolean hasBegun;
    private long rows;

    /**
     * @param schema of the JSON document.
     * @param limit  rows to print; more are only counted.
     */
    public TablePrinter(
        final PrintStream out,
        final Form form,
        final String schema,
        final Path journal,
        final List<TableColumn> columns,
        final long limit)
    {
        this.out = out;
        this.form = form;
        this.columns = columns;
        this.limit = limit;
        this.schema = schema;
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
        generator.writeStringField("schema", schema);
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
    public void onRow(final Object... values)
    {
        begin();
        if (++rows > limit)
        {
            return;
        }
        switch (form)
        {
            case TEXT -> text(values);
            case CSV -> csv(values);
            case JSON ->
            {
                try
                {
                    json(values);
                }
                catch (final IOException e)
                {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private void text(final Object... values)
    {
        if (rows == 1)
        {
            line(columns.stream().map(column -> title(column)).toArray(String[]::new));
        }
        final String[] texts = new String[values.length];
        for (int i = 0; i < texts.length; i++)
        {
            texts[i] = values[i] == null ? ReportText.NO_DATA : Printable.text(forPeople(columns.get(i), values[i]));
        }
        line(texts);
    }

    /** {@code ttft, ms} for the column ttft. */
    private static String title(final TableColumn column)
    {
        final String words = column.name().replaceAll("([A-Z])", " $1").toLowerCase(Locale.ROOT);
        return words + switch (column.kind())
        {
            case SECONDS -> ", s";
            case MILLISECONDS -> ", ms";
            case NUMBER, REAL, TEXT -> "";
        };
    }

    private void line(final String... texts)
    {
        final StringBuilder line = new StringBuilder();
        for (int i = 0; i < texts.length; i++)
        {
            final boolean isText = columns.get(i).kind() == TableColumn.Kind.TEXT;
            final int width = isText ? TEXT_WIDTH : Math.max(NUMBER_WIDTH, title(columns.get(i)).length());
            final String padding = " ".repeat(Math.max(0, width - texts[i].length()));
            line.append(i == 0 ? "" : GAP).append(isText ? texts[i] + padding : padding + texts[i]);
        }
        out.print(line.toString().stripTrailing() + "\n");
    }

    private static String forPeople(final TableColumn column, final Object value)
    {
        return switch (column.kind())
        {
            case NUMBER -> Decimals.grouped((Long)value);
            case SECONDS -> Decimals.text((Long)value / 1e9, 3);
            case MILLISECONDS -> Decimals.text((Long)value / 1e6, 3);
            case REAL -> Decimals.text((Double)value, 3);
            case TEXT -> (String)value;
        };
    }

    private void csv(final Object... values)
    {
        final StringBuilder line = new StringBuilder();
        for (int i = 0; i < values.length; i++)
        {
            line.append(i == 0 ? "" : ",");
            if (values[i] != null)
            {
                line.append(columns.get(i).kind() == TableColumn.Kind.TEXT
                    ? ComparisonFiles.quoted((String)values[i]) : number(columns.get(i), values[i]));
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

    private void json(final Object... values) throws IOException
    {
        json.writeRaw(rows == 1 ? "\n" : "");
        json.writeStartObject();
        for (int i = 0; i < values.length; i++)
        {
            json.writeFieldName(columns.get(i).name());
            if (values[i] == null)
            {
                json.writeNull();
            }
            else if (columns.get(i).kind() == TableColumn.Kind.TEXT)
            {
                json.writeString((String)values[i]);
            }
            else
            {
                json.writeNumber(number(columns.get(i), values[i]));
            }
        }
        json.writeEndObject();
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
            closeDocument(() ->
            {
                if (missing != null)
                {
                    json.writeNumberField("missingRows", missing);
                }
                json.writeStringField("journalEnd", EnumNames.label(end));
            });
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
            closeDocument(() ->
            {
                json.writeNumberField("record", moment.record());
                json.writeNumberField("time", Decimals.seconds(moment.state().timeNanos()).stripTrailingZeros());
                json.writeNumberField("firstRecord", moment.firstRecord());
                json.writeNumberField("passedOver", moment.passedOver().size());
            });
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
        }
    }

    private void fact(final String name, final String value)
    {
        out.printf("%-18s%s%n", name, value);
    }

    /** Writes fields of a JSON document. */
    @FunctionalInterface
    private interface Fields
    {
        void write() throws IOException;
    }

    private void closeDocument(final Fields last)
    {
        try
        {
            json.writeEndArray();
            json.writeNumberField("count", rows);
            last.write();
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
