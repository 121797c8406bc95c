// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code --html} of simulate and inspect run: what is on the page, and that nothing in it comes from outside unescaped. */
class RunPageTest
{
    /** Of the page of {@link #simulated}, the same on every JVM. If the page was changed on purpose, take the new one. */
    private static final String DIGEST = "88c95378d291c93c0a65942683eb1f3320547c87ba54172ae9e7028076c6ca0b";
    private static final String HOSTILE = "a</script><b x=\"1\">'&";

    @TempDir
    private Path directory;

    private String simulated(final String name, final String... more) throws IOException
    {
        final Path page = directory.resolve("page.html");
        final List<String> arguments = new ArrayList<>(List.of("simulate", "--conversations", "12", "--limit", "40",
            "--ranks", "2", "--seed", "3", "--tenants", "acme=2,globex=1", "--slo", "ttft=60ms,tpot=20ms",
            "--faults", "rank 1 step 20 lost back-after 300ms; rank 0 step 9..10 failed ECC <error>",
            "--journal", directory.resolve(name).toString(), "--html", page.toString()));
        arguments.addAll(List.of(more));
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return Files.readString(page);
    }

    @Test
    void shouldHaveTheSameBytesOnEveryMachine() throws IOException
    {
        PageText.assertDigest(DIGEST, simulated("run").replace(directory.toString(), "DIR"));
    }

    @Test
    void shouldTellWhatHappened() throws IOException
    {
        final String page = simulated("run");

        assertTrue(page.contains("<b>Verified</b>: all "), page);
        assertTrue(page.contains("<b>Ranks lost</b>: 1, 300"), page);
        assertTrue(page.contains("Rank 0: 2 steps failed, \u201cECC &lt;error&gt;\u201d"), page);
        assertTrue(page.contains("Limits of goodput: TTFT 60ms, TPOT 20ms"), page);
    }

    @Test
    void shouldDrawAJournalAsItsRunWasDrawn() throws IOException
    {
        final String simulated = simulated("run");
        final Path inspected = directory.resolve("inspected.html");
        final CommandRun run = CommandRun.of("inspect", directory.resolve("run").toString(), "--slo",
            "ttft=60ms,tpot=20ms", "--html", inspected.toString());

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertEquals(withoutChips(simulated), withoutChips(Files.readString(inspected)));
    }

    /** A journal that was read is not verified. */
    private static String withoutChips(final String page)
    {
        return page.replaceAll("<ul class=\"chips\">.*?</ul>", "");
    }

    @Test
    void shouldReportAWindowWithTheLostRank() throws IOException
    {
        simulated("run");
        final Path page = directory.resolve("window.html");
        final String journal = directory.resolve("run").toString();
        final CommandRun run = CommandRun.of("inspect", "run", journal, "--from", "0.2", "--to", "1", "--html",
            page.toString());

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertTrue(run.out().contains("window            0.200 s to 1.000 s, 800 ms\n"), run.out());
        assertTrue(run.out().contains("1 lost rank, 1 reset"), run.out());
        assertTrue(run.out().contains("rank 1 lost for 300 ms, record "), run.out());
        assertTrue(Files.readString(page).contains("from <b>0.200 s to 1.000 s</b>"));
    }

    /** A window of the whole run has the figures of its report. */
    @Test
    void shouldAddUpToTheReportOfTheRun() throws IOException
    {
        simulated("run");
        final String journal = directory.resolve("run").toString();
        final Map<String, String> report = JsonText.leaves(CommandRun.of(
            "inspect", journal, "--slo", "ttft=60ms", "--json").out());
        final Map<String, String> window = JsonText.leaves(
            CommandRun.of("inspect", "run", journal, "--from", "0", "--slo", "ttft=60ms", "--json").out());

        for (final String figure : List.of("requests.submitted", "requests.completed", "goodput.requests",
            "goodput.counted", "latency.ttft.count", "latency.tpot.count", "latency.e2e.count"))
        {
            assertEquals(report.get(figure), window.get(figure), figure);
            assertTrue(report.containsKey(figure), report.toString());
        }
    }

    @Test
    void shouldNameNoAddressAndForbidTheNetwork() throws IOException
    {
        PageText.assertForbidsTheNetwork(simulated("run"));
    }

    @Test
    void shouldEscapeTheNameOfTheJournal() throws IOException
    {
        final String page = simulated(HOSTILE.replace('/', ':'));

        assertFalse(page.contains("<b x="), page);
        assertTrue(page.contains("a&lt;:script&gt;&lt;b x=&quot;1&quot;&gt;&#39;&amp;"), page);
    }

    @Test
    void shouldRefuseAPageWithoutAJournal()
    {
        final CommandRun run =
            CommandRun.of("simulate", "--no-journal", "--html", directory.resolve("page.html").toString());

        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.out());
        assertEquals("signalbox simulate: --html reads the journal of the run, and --no-journal writes none; leave one of " +
            "them out.", run.err().strip());
    }
}
