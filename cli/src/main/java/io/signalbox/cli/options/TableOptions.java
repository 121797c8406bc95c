// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import picocli.CommandLine.Option;

import java.nio.file.Path;

/** The length and the form of a table. */
public final class TableOptions extends CsvFlag
{
    /** Names the file of a table. */
    public static final String PARQUET = "--parquet";

    @Option(names = "--limit", paramLabel = "N",
        description = "Print at most N rows of a table (default: 20 as text, all as JSON and CSV).")
    private Long limit;

    @Option(names = PARQUET, paramLabel = "FILE", description = "Write a table to FILE, which is new, as Apache Parquet.")
    @OutputPath
    private Path parquet;

    /** {@code null} if no file is asked for. */
    public Path parquet()
    {
        return parquet;
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
        if (limit != null && limit < 1)
        {
            throw new ConfigException("--limit=" + limit + " is below 1; give the number of rows to print.");
        }
    }

    /** @throws ConfigException if an option of tables is given. */
    public void refuse()
    {
        if (isCsv() || parquet != null || limit != null)
        {
            throw new ConfigException((isCsv() ? "--csv" : parquet != null ? PARQUET : "--limit") +
                " is for tables, and no table is asked for; leave it out.");
        }
    }
}
