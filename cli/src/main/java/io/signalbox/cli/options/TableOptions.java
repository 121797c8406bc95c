// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.printing.TableColumn;
import io.signalbox.printing.where.RowCondition;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;

/** The length and the form of a table. */
public final class TableOptions extends CsvFlag
{
    /** Names the file of a table. */
    public static final String PARQUET = "--parquet";
    private static final String COLUMNS = "--columns";
    private static final String WHERE = "--where";
    private static final String ALL = "all";

    @Option(names = "--limit", paramLabel = "N",
        description = "Print at most N rows of a table (default: 20 as text, all as JSON and CSV).")
    private Long limit;

    @Option(names = PARQUET, paramLabel = "FILE", description = "Write a table to FILE, which is new, as Apache Parquet.")
    @OutputPath
    private Path parquet;

    @Option(names = COLUMNS, paramLabel = "NAME", split = ",", description = "Print these columns in this order, or " +
        "'all'; names as in --csv, also without unit. JSON has all columns.")
    private List<String> columns = List.of();

    @Option(names = WHERE, paramLabel = "CONDITION", description = "List rows that meet a condition such as " +
        "'tenant=acme and (ttft>1s or restarts>0)'. Operators: = != < <= > >= and ~ for contains; 'none' is an absent " +
        "value or the text 'none'.")
    private String where;

    /** {@code null} if no file is asked for. */
    public Path parquet()
    {
        return parquet;
    }

    /**
     * The columns to print.
     *
     * @param rowType record of the rows.
     * @param main    names of the columns if none are chosen; empty: all.
     * @throws ConfigException if the table does not have a column that is chosen, or one is chosen twice.
     */
    public List<TableColumn> columns(final Class<? extends Record> rowType, final List<String> main)
    {
        final List<TableColumn> all = TableColumn.of(rowType);
        final List<String> names = columns.isEmpty() ? main : columns;
        if (names.isEmpty() || names.equals(List.of(ALL)))
        {
            return all;
        }
        final List<TableColumn> chosen = names.stream().map(name -> TableColumn.named(all, name, COLUMNS)).toList();
        if (chosen.stream().distinct().count() < chosen.size())
        {
            throw new ConfigException(COLUMNS + "=" + String.join(",", names) + " names a column twice; name it once.");
        }
        return chosen;
    }

    /**
     * The condition of the rows to list; {@code null}: all.
     *
     * @throws ConfigException if it is no condition on the columns of the table.
     */
    public RowCondition where(final Class<? extends Record> rowType)
    {
        return where == null ? null : RowCondition.of(where, TableColumn.of(rowType));
    }

    /** @param otherwise rows of a table if no limit is given. */
    public long rows(final long otherwise)
    {
        return limit != null ? limit : otherwise;
    }

    /** @throws ConfigException if two forms are asked for, or no row. */
    public void check(final boolean asJson)
    {
        if (isCsv() && asJson || parquet != null && (isCsv() || asJson))
        {
            throw new ConfigException((isCsv() ? "--csv" : PARQUET) + " and " + (asJson ? "--json" : PARQUET) +
                " exclude each other; leave one out.");
        }
        if (asJson && !columns.isEmpty() && !columns.equals(List.of(ALL)))
        {
            throw new ConfigException(COLUMNS + " and --json exclude each other, since a document has every field of its " +
                "schema; leave one out, or use --csv.");
        }
        if (limit != null && limit < 1)
        {
            throw new ConfigException("--limit=" + limit + " is below 1; give the number of rows to print.");
        }
    }

    /** @throws ConfigException if an option of tables is given. */
    public void refuse()
    {
        if (isCsv() || parquet != null || limit != null || !columns.isEmpty() || where != null)
        {
            throw new ConfigException((isCsv() ? "--csv" : parquet != null ? PARQUET : limit != null ? "--limit" :
                where != null ? WHERE : COLUMNS) +
                " is for tables, and no table is asked for; leave it out.");
        }
    }
}
