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
    /** Each with a part of its refusal. */
    private static final String[][] WRONG_CONDITIONS = {
        {"", "--where ends at character 1 where a column is expected"},
        {"rank", "--where ends at character 5 where =, !=, <, <=, >, >= or ~ is expected"},
        {"rank=", "--where ends at character 6 where a value is expected"},
        {"rank=1 rank=2", "--where has 'rank=2' at character 8 where 'and', 'or' or the end is expected"},
        {"(rank=1", "--where ends at character 8 where ')' is expected"},
        {"end='length", "--where opens a quotation at character 5 that does not end"},
        {"end>length", "it is a text; use =, != or ~"}, {"rank~1", "it is a number; use"},
        {"rank<none", "none has no order"}, {"tokens=1ms", "which is not a number"}, {"ttft=1 or rank=x", "which is not a"},
        {"tokens=" + "9".repeat(19), "which is not a number"},
        {"(".repeat(21) + "rank=1", "nests more than 20 parentheses"},
        {"end~a or ".repeat(100) + "end~a", "has more than 100 comparisons"},
        {"rank=1".repeat(200), "has 1200 characters; give at most 1000"},
        {"tokens=none and foo=1", "names the column 'foo'"}};

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
            "--tenants=acme=2,globex=1", "--faults=rank 1 step 90 lost back-after 1s", "--no-verify", "--combine-weights",
            "--json", "--journal", journal.toString());
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        report = JsonText.leaves(run.out());
    }

    /** @param options of which the first may be a question. */
    private static CommandRun inspect(final String... options)
    {
        final int names = options[0].startsWith("-") ? 0 : 1;
        return CommandRun.of(Stream.of(Stream.of("inspect"), Stream.of(options).limit(names), Stream.of(journal.toString()),
            Stream.of(options).skip(names)).flatMap(words -> words).toList());
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
        "--events --message Refused,Free", "placements", "placements --show candidates", "faults"})
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

    @ParameterizedTest
    @ValueSource(strings = {"tenant=globex", "tenant!=globex", "rank=1 and ttft>20ms", "ttftMs>=20 or restarts>0",
        "restarts > 0 OR (preemptions>0 AND tokens<100)", "end~refused", "end=length and tpot<=13.5ms", "rank=none",
        "ttft!=none and totalMs > 1.5s", "submitted<1 and submittedSeconds>=500ms", "end='cancelled' or tenant=\"acme\""})
    void shouldListTheRowsThatDuckDbSelects(final String condition) throws IOException, SQLException
    {
        final Path all = Files.writeString(directory.resolve("all.csv"), inspect("requests", "--csv").out());
        final String sql = condition.replace("!=none", " is not null").replace("=none", " is null")
            .replaceAll("~(\\w+)", " like '%$1%'").replaceAll("(tenant|end)(!?=)(\\w+)", "$1$2'$3'")
            .replace("\"acme\"", "'acme'").replaceAll("\\bend\\b", "\"end\"").replaceAll("\\bttft\\b", "ttftMs")
            .replaceAll("\\btpot\\b", "tpotMs").replaceAll("submitted\\b", "submittedSeconds").replace("500ms", "0.5")
            .replace("1.5s", "1500").replaceAll("(\\d)ms", "$1");
        final List<List<String>> expected =
            query("select request from read_csv('" + all + "', header = true) where " + sql);
        final CommandRun run = inspect("requests", "--where", condition, "--columns", "request", "--csv");

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertFalse(expected.isEmpty() || expected.size() == 40, "the condition selects no row, or every row");
        assertEquals(expected.stream().map(row -> row.get(0)).toList(), run.out().lines().skip(1).toList());
    }

    /** The text "none" is a value of the columns tieRule and gate, and absent values of other columns are none too. */
    @Test
    void shouldSelectTheTextNoneAsNone()
    {
        final List<String> rules =
            inspect("placements", "--columns", "tieRule", "--csv").out().lines().skip(1).toList();
        final long none = rules.stream().filter("none"::equals).count();

        assertTrue(none > 0 && none < rules.size(), rules.toString());
        assertEquals(List.of(none, none, rules.size() - none, rules.size() - none),
            Stream.of("tieRule=none", "tieRule='none'", "tieRule!=none", "tieRule!='none'").map(condition -> inspect(
                "placements", "--where", condition, "--columns", "tieRule", "--csv").out().lines().count() - 1).toList());
    }

    /** The slowest are chosen among those that meet the condition, and rows beyond the limit are counted if they meet it. */
    @Test
    void shouldChooseAndCountOnlyWhatMeetsTheCondition()
    {
        final List<String> slowest = inspect("requests", "--where", "tenant=acme", "--slowest", "3", "--columns",
            "tenant,totalMs", "--csv").out().lines().skip(1).toList();
        assertEquals(3, slowest.size());
        assertTrue(slowest.stream().allMatch(row -> row.startsWith("acme,")), slowest.toString());

        final long frees = inspect("events", "--where", "message=Free and fields~LENGTH", "--csv").out().lines().count() - 1;
        final String text = inspect("events", "--where", "message=Free and fields~LENGTH", "--limit", "1").out();
        assertTrue(frees > 1 && text.contains("rows              1 of " + frees + ";"), text);
    }

    @Test
    void shouldPlaceOnTheLowestScore() throws SQLException
    {
        final Path placements = directory.resolve("p.parquet");
        final Path candidates = directory.resolve("c.parquet");
        final Path faults = directory.resolve("f.parquet");
        inspect("placements", "--parquet", placements.toString());
        inspect("placements", "--show", "candidates", "--parquet", candidates.toString());
        inspect("faults", "--parquet", faults.toString());

        assertEquals(List.of(List.of(report.get("placements.placements"), "0")), query(
            "select count(*), count(*) filter (score <> own or nextScore < score or matchedTokens <> matched) from '" +
                placements + "' join (select record, request, score as own, matchedTokens as matched from '" + candidates +
                "' where chosen = 1) using (record, request)"));
        assertEquals(List.of(List.of("0")), query("select count(*) from (select min(score) - min(score) filter (" +
            "chosen = 1) as lower from '" + candidates + "' group by record, request) where lower < 0"));
        assertEquals(List.of(List.of(report.get("faults.restarts"), report.get("faults.resets"))), query(
            "select sum(restarted), count(*) filter (kind = 'reset') from '" + faults + "'"));
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
        assertRefused("--columns names the column 'ttft_ms', which the table does not have; give request,", "requests",
            "--columns=ttft_ms");
        assertRefused("--columns=rank,rank names a column twice", "requests", "--columns=rank,rank");
        assertRefused("--columns and --json exclude each other", "requests", "--columns=rank", "--json");
        assertRefused("--where is for tables, and no table is asked for", "--request=3", "--where=rank=1");
        for (final String[] pair : WRONG_CONDITIONS)
        {
            assertRefused(pair[1], "requests", "--where=" + pair[0]);
        }
    }

    private static void assertRefused(final String sentence, final String... options)
    {
        final CommandRun run = inspect(options);
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        BadInputTest.assertOneSentence(run.err());
        assertTrue(run.err().contains(sentence), run.err());
    }
}
