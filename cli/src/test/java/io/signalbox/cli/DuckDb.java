// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A DuckDB in memory, which reads files. */
public final class DuckDb
{
    private DuckDb()
    {
    }

    /** The rows of the answer as texts; {@code null}: absent. */
    public static List<List<String>> query(final String sql) throws SQLException
    {
        final List<List<String>> rows = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
            Statement statement = connection.createStatement();
            ResultSet result = statement.executeQuery(sql))
        {
            while (result.next())
            {
                final List<String> row = new ArrayList<>();
                for (int i = 1; i <= result.getMetaData().getColumnCount(); i++)
                {
                    row.add(result.getString(i));
                }
                rows.add(row);
            }
        }
        return rows;
    }
}
