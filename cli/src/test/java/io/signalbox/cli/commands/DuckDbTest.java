// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.BadInputTest;
import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static io.signalbox.cli.DuckDb.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** DuckDB reads each table of a run from CSV, JSON and Parquet, with the same counts, sums and texts. */
class DuckDbTest
{
    @TempDir
    private static Path directory;
    private static Path journal;
    private static Map<String, String> report;

    @BeforeAll
    static void simulate()
    {
        journal = directory.resolve("journal");
        final CommandRun run = CommandRun.of("simulate", "--conversations=20", "--limit=40", "--ranks=2", "--kv-blocks=130",
            "--system-prompt=64", "--max-context=1024", "--cancel-fraction=0.2", "--cancel-after=0.2", "--max-queued=3",
            "--faults=rank 1 step 90 lost back-after 1s", "--no-verify", "--combine-weights", "--json", "--journal",
            journal.toString());
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        report = JsonText.leaves(run.out());
    }

    private static CommandRun inspect(final String... options)
    {
        return CommandRun.of(Stream.concat(Stream.of("inspect", journal.toString()), Stream.of(options)).toList());
    }

    private static String[] with(final String question, final String... more)
    {
        return Stream.concat(Stream.of(question.split(" ")), Stream.of(more)).toArray(String[]::new);
    }

    /** Number of rows and, for each column, of its values, the sum of numbers and the hash of texts. */
    private static List<List<String>> summary(final String table) throws SQLException
    {
        final StringBuilder sql = new StringBuilder("select count(*)");
        for (final List<String> column : query("describe select * from " + table))
        {
            final String name = '"' + column.get(0) + '"';
            sql.append(", '").append(column.get(0)).append("', count(").append(name).append("), ")
                .append(column.get(1).equals("VARCHAR") ? "bit_xor(hash(" + name + "))" :
                    "round(sum(cast(" + name + " as double)), 3)");
        }
        return query(sql.append(" from ").append(table).toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"--requests", "--requests --slowest 5", "--experts", "--rank 1 --every 0.5",
        "--expert 3 --every 0.5", "--request 7 --steps", "--request 7 --blocks", "--block 0:5", "--events",
        "--events --message Refused,Free"})
    void shouldReadTheSameFromEveryForm(final String question) throws IOException, SQLException
    {
        final String name = question.replaceAll("[^a-z0-9]", "");
        final Path csv = directory.resolve(name + ".csv");
        final Path json = directory.resolve(name + ".json");
        final Path parquet = directory.resolve(name + ".parquet");
        Files.writeString(csv, inspect(with(question, "--csv")).out());
        Files.writeString(json, inspect(with(question, "--json")).out());
        final CommandRun written = inspect(with(question, "--parquet", parquet.toString()));
        assertEquals(ExitCode.OK, written.exitCode(), written.err());

        final List<List<String>> expected = summary("read_csv('" + csv + "', header = true)");
        assertTrue(Long.parseLong(expected.get(0).get(0)) > 0, "the table is empty");
        assertEquals(expected, summary(
            "(select unnest(rows, recursive := true) from read_json('" + json + "', maximum_object_size = 400000000))"));
        assertEquals(expected, summary("read_parquet('" + parquet + "')"));
        assertTrue(written.out().startsWith("rows              " + String.format("%,d", Long.parseLong(
            expected.get(0).get(0)))), written.out());
    }

    @Test
    void shouldAgreeWithTheReport() throws SQLException
    {
        final Path file = directory.resolve("report.parquet");
        inspect("--requests", "--parquet", file.toString());

        assertEquals(List.of(List.of(report.get("requests.completed"), report.get("requests.refused"),
            report.get("throughput.outputTokens"), report.get("preemptions"))), query(
            "select count(*) filter (\"end\" in ('length', 'stop')), count(*) filter (\"end\" like 'refused%'), " +
                "sum(tokens), sum(preemptions) from '" + file + "'"));
    }

    @Test
    void shouldReadExportedRowsAsTheirJsonHasThem() throws SQLException
    {
        for (final String format : List.of("parquet", "json"))
        {
            final CommandRun run = CommandRun.of("experts", journal.toString(), "--all", "--format", format, "--out",
                directory.resolve(format).toString());
            assertEquals(ExitCode.OK, run.exitCode(), run.err());
        }
        final String json = "read_json('" + directory + "/json/*.json', maximum_object_size = 400000000)";
        final List<List<String>> expected = query("select count(*), sum(list_sum(ids)), round(sum(list_sum(w)), 1) from " +
            "(select unnest(i) as ids, unnest(c) as w from (select unnest(ids) as i, unnest(\"combineWeights\") as c from " +
            json + "))");
        final String parquet = "'" + directory + "/parquet/*.parquet'";

        assertEquals(expected, query(
            "select count(*), sum(list_sum(experts)), round(sum(list_sum(\"combineWeights\")), 1) from " + parquet));
        assertEquals(List.of(List.of(report.get("routedExperts.captured"), report.get("routedExperts.inherited"))), query(
            "select count(*) filter (origin = 'captured' and layer = 0), " +
                "count(*) filter (origin = 'inherited' and layer = 0) from " + parquet));
        assertEquals(List.of(List.of("SMALLINT[]", "FLOAT[]")), query(
            "select any_value(typeof(experts)), any_value(typeof(\"combineWeights\")) from " + parquet));
    }

    @Test
    void shouldRefuseInOneSentence()
    {
        final Path file = directory.resolve("refused.parquet");
        assertRefused("--parquet is for tables, and no table is asked for", "--request=3", "--parquet=" + file);
        assertRefused("--csv and --parquet exclude each other", "--requests", "--csv", "--parquet=" + file);
        assertRefused("--parquet and --json exclude each other", "--requests", "--json", "--parquet=" + file);
        assertRefused("--parquet=" + journal.resolve("x") + " is in the directory of a journal", "--requests",
            "--parquet=" + journal.resolve("x"));
        assertFalse(Files.exists(file));
    }

    private static void assertRefused(final String sentence, final String... options)
    {
        final CommandRun run = inspect(options);
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        BadInputTest.assertOneSentence(run.err());
        assertTrue(run.err().contains(sentence), run.err());
    }
}
