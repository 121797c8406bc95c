// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.cli.DuckDb;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Parquet files as DuckDB reads them. */
class ParquetFileTest
{
    /** More than one row group holds. */
    private static final int ROWS = 1_200_001;

    @TempDir
    private Path directory;

    private final ParquetColumn number = new ParquetColumn("number", ParquetColumn.Type.INT64);
    private final ParquetColumn sparse = new ParquetColumn("sparse", ParquetColumn.Type.INT64);
    private final ParquetColumn real = new ParquetColumn("real", ParquetColumn.Type.DOUBLE);
    private final ParquetColumn text = new ParquetColumn("text", ParquetColumn.Type.TEXT);
    private final ParquetColumn list = new ParquetColumn("list", ParquetColumn.Type.INT16S);

    private Path write(final int rows) throws IOException
    {
        final Path file = directory.resolve(rows + ".parquet");
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file)))
        {
            final ParquetFile parquet = new ParquetFile(out, List.of(number, sparse, real, text, list));
            for (int row = 0; row < rows; row++)
            {
                number.add((long)row);
                sparse.add(row % 3 == 0 ? null : (Long)(long)-row);
                real.add(row % 2 == 0 ? 0.5 * row : null);
                text.add("row " + row % 10 + (row % 5 == 0 ? " \u00e4\u20ac, \"quoted\"" : ""));
                list.addInt16(false, row % 100);
                list.addInt16(true, -1);
                parquet.endRow();
            }
            parquet.end();
        }
        return file;
    }

    @Test
    void shouldKeepEveryValueOverRowGroups() throws IOException, SQLException
    {
        final Path file = write(ROWS);
        final long sum = (long)ROWS * (ROWS - 1) / 2;
        long thirds = 0;
        for (long row = 0; row < ROWS; row += 3)
        {
            thirds += row;
        }

        assertEquals(List.of(List.of(Integer.toString(ROWS), Long.toString(sum), Long.toString(thirds - sum),
            Integer.toString(ROWS - ROWS / 3 - 1))),
            DuckDb.query("select count(*), sum(number), sum(sparse), count(sparse) from '" + file + "'"));
        assertEquals(List.of(List.of("0", "0", "0", "0")), DuckDb.query(
            "select count(*) filter (sparse is distinct from (case when number % 3 = 0 then null else -number end)), " +
                "count(*) filter (real is distinct from (case when number % 2 = 0 then 0.5 * number end)), " +
                "count(*) filter (list is distinct from [number % 100, -1]), " +
                "count(*) filter (text is distinct from 'row ' || (number % 10) || " +
                "(case when number % 5 = 0 then ' \u00e4\u20ac, \"quoted\"' else '' end)) from '" + file + "'"));
        assertEquals(List.of(List.of("true")), DuckDb.query(
            "select count(distinct row_group_id) > 1 from parquet_metadata('" + file + "')"));
    }

    @Test
    void shouldWriteATableWithoutRows() throws IOException, SQLException
    {
        final Path file = write(0);

        assertEquals(List.of(List.of("0")), DuckDb.query("select count(*) from '" + file + "'"));
        assertEquals(List.of("number", "sparse", "real", "text", "list"),
            DuckDb.query("describe select * from '" + file + "'").stream().map(column -> column.get(0)).toList());
        assertEquals(List.of("BIGINT", "BIGINT", "DOUBLE", "VARCHAR", "SMALLINT[]"),
            DuckDb.query("describe select * from '" + file + "'").stream().map(column -> column.get(1)).toList());
    }
}
