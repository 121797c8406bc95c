// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ReadingProgress;
import io.signalbox.cli.options.JsonFlag;
import io.signalbox.cli.options.TableOptions;
import io.signalbox.inspect.JournalQuery;
import io.signalbox.inspect.MomentQuery;
import io.signalbox.inspect.NoRowsException;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.journal.RunMoment;
import io.signalbox.printing.NewFile;
import io.signalbox.printing.ParquetTable;
import io.signalbox.printing.TableColumn;
import io.signalbox.printing.TablePrinter;
import io.signalbox.printing.where.RowCondition;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** A question about a journal whose answer is a table: as text, JSON, CSV or Parquet. */
abstract class InspectTable extends InspectQuestion
{
    private static final int TEXT_ROWS = 20;
    private static final long PAUSE_NANOS = 1_000_000_000L;

    @ArgGroup(validate = false, heading = "%nForm of the table:%n", order = 1)
    private final TableOptions options = new TableOptions();

    @Mixin
    private final JsonFlag json;

    InspectTable(final Console console)
    {
        this(console, new JsonFlag());
    }

    InspectTable(final Console console, final JsonFlag json)
    {
        super(console);
        this.json = json;
    }

    /** @throws ConfigException if an option of tables is given, and the answer is no table. */
    final void refuseTableOptions()
    {
        options.refuse();
    }

    /** Prints the answer to a question about the whole journal. */
    final void print(final JournalQuery query, final boolean follows)
    {
        print(query, follows, () ->
        {
        });
    }

    /**
     * Prints the answer to a question about the whole journal.
     *
     * @param ifEmpty called if the answer has no row, before its end is printed.
     */
    final void print(final JournalQuery query, final boolean follows, final Runnable ifEmpty)
    {
        options.check(json.isJson());
        if (options.parquet() != null && follows)
        {
            throw new ConfigException(
                "--follow lists what is new, and " + TableOptions.PARQUET + " writes a whole file; leave one out.");
        }
        final RowCondition where = options.where(query.rowType());
        if (where != null)
        {
            query.listOnly(where);
        }
        final boolean isText = !json.isJson() && !options.isCsv() && options.parquet() == null;
        final List<TableColumn> columns = options.columns(query.rowType(), isText ? query.mainColumns() : List.of());
        noteRemovedRecords();
        try
        {
            if (options.parquet() != null)
            {
                write(query, columns, ifEmpty);
            }
            else
            {
                list(query, columns, follows, ifEmpty);
            }
        }
        catch (final NoRowsException e)
        {
            throw new ConfigException(journal() + " cannot answer this: " + e.getMessage() + "; ask something else, or " +
                "give another journal.");
        }
    }

    private void list(
        final JournalQuery query, final List<TableColumn> columns, final boolean follows, final Runnable ifEmpty)
    {
        final TablePrinter printer = printer(query.rowType(), columns, follows);
        final boolean hasRows;
        final JournalEnd end;
        try (ReadingProgress progress = progress())
        {
            end = follows ? follow(query, printer, progress) : query.run(journal(), progress.before(printer), progress);
            hasRows = follows || progress.hasRows();
        }
        if (!hasRows)
        {
            ifEmpty.run();
        }
        final Long missing = query.missingRows();
        printer.conclude(end, missing);
        if (options.isCsv() && missing != null && missing > 0)
        {
            console().err().println(
                InspectCommand.NAME + ": left out: " + TablePrinter.missingRows(missing) + ".");
        }
    }

    private JournalEnd follow(final JournalQuery query, final TablePrinter printer, final ReadingProgress progress)
    {
        return query.follow(journal(), progress.before(printer), progress, () ->
        {
            printer.flush();
            LockSupport.parkNanos(printer.isFull() ? 0 : PAUSE_NANOS);
            return !printer.isFull();
        });
    }

    private void write(final JournalQuery query, final List<TableColumn> columns, final Runnable ifEmpty)
    {
        writeTable(columns, table ->
        {
            final JournalEnd end;
            final boolean hasRows;
            try (ReadingProgress progress = progress())
            {
                end = query.run(journal(), progress.before(table), progress);
                hasRows = progress.hasRows();
            }
            if (!hasRows)
            {
                ifEmpty.run();
            }
            table.conclude(console().out(), end, query.missingRows());
        });
    }

    /** Prints the answer to a question about one moment. */
    final void print(final MomentQuery query)
    {
        options.check(json.isJson());
        final List<TableColumn> columns = options.columns(query.rowType(), List.of());
        if (options.parquet() != null)
        {
            writeTable(columns, table -> table.conclude(console().out(), answer(query, table)));
            return;
        }
        final TablePrinter printer = printer(query.rowType(), columns, false);
        printer.conclude(answer(query, printer));
    }

    private RunMoment answer(final MomentQuery query, final JournalQuery.RowReceiver rows)
    {
        final RowCondition where = options.where(query.rowType());
        final JournalQuery.RowReceiver wanted = where == null ? rows : row ->
        {
            if (where.test(row))
            {
                rows.onRow(row);
            }
        };
        try (ReadingProgress progress = progress())
        {
            return query.run(journal(), progress.before(wanted), progress);
        }
    }

    private void writeTable(final List<TableColumn> columns, final Consumer<ParquetTable> answer)
    {
        try (NewFile file = NewFile.create(TableOptions.PARQUET, options.parquet()))
        {
            answer.accept(new ParquetTable(file, columns, options.rows(Long.MAX_VALUE)));
        }
    }

    private TablePrinter printer(
        final Class<? extends Record> rowType, final List<TableColumn> columns, final boolean follows)
    {
        final TablePrinter.Form form = options.isCsv() ? TablePrinter.Form.CSV :
            json.isJson() ? TablePrinter.Form.JSON : TablePrinter.Form.TEXT;
        final boolean isShort = form == TablePrinter.Form.TEXT && !follows;
        final long rows = options.rows(isShort ? TEXT_ROWS : Long.MAX_VALUE);
        return new TablePrinter(console().out(), form, journal(), rowType, columns, rows);
    }
}
