// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A page in headless Chromium. Skipped if no {@code chromium} is on the PATH. With {@code -Dsignalbox.axe=FILE}, the
 * {@code axe.min.js} of axe-core, the page is also checked for accessibility.
 */
@Tag("threads")
class RunPageBrowserTest
{
    private static final long LIMIT_SECONDS = 120;

    @TempDir
    private Path directory;
    private Path browser;

    @BeforeEach
    void findBrowser()
    {
        browser = Stream.of(System.getenv("PATH").split(File.pathSeparator)).map(place -> Path.of(place, "chromium"))
            .filter(Files::isExecutable).findFirst().orElse(null);
        assumeTrue(browser != null, "chromium is not on the PATH; install it to see the page in a browser");
    }

    /** @param command that writes the page. */
    private String page(final String command) throws IOException
    {
        final Path page = directory.resolve("page.html");
        final List<String> arguments = new ArrayList<>(List.of(command, "--ranks", "2", "--slo", "ttft=60ms,tpot=20ms",
            "--html", page.toString()));
        arguments.addAll(command.equals("compare") ?
            List.of("--conversations", "6", "--router", "signalbox,round-robin,kv-aware", "--kv-blocks", "1025,2049",
                "--seeds", "2") :
            List.of("--conversations", "12", "--limit", "40", "--tenants", "acme=2,globex=1", "--faults",
                "rank 1 step 20 lost back-after 300ms", "--journal", directory.resolve("run").toString()));
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return Files.readString(page);
    }

    private record Shown(String document, String log, String network)
    {
    }

    private Shown shown(final String html, final String... options) throws IOException, InterruptedException
    {
        final Path file = Files.writeString(directory.resolve("shown.html"), html);
        final Path document = directory.resolve("document.html");
        final Path log = directory.resolve("log.txt");
        final Path network = directory.resolve("network.json");
        final List<String> command = new ArrayList<>(List.of(browser.toString(), "--headless=new", "--no-sandbox",
            "--disable-gpu", "--disable-background-networking", "--user-data-dir=" + directory.resolve("profile"),
            "--enable-logging=stderr", "--log-net-log=" + network, "--virtual-time-budget=20000", "--dump-dom"));
        command.addAll(List.of(options));
        command.add(file.toUri().toString());
        final Process process = new ProcessBuilder(command).redirectOutput(document.toFile())
            .redirectError(log.toFile()).start();
        final boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        process.destroyForcibly();
        assertTrue(ended, "chromium did not end");
        return new Shown(Files.readString(document), Files.readString(log), Files.readString(network));
    }

    @ParameterizedTest
    @CsvSource({"simulate, h-time", "compare, h-overview"})
    void shouldShowWithoutErrorsAndWithoutNetwork(final String command, final String heading)
        throws IOException, InterruptedException
    {
        final Shown shown = shown(page(command), "--window-size=1280,900");

        assertTrue(shown.document.contains("<h2 id=\"" + heading + "\">"), shown.document);
        assertFalse(shown.log.contains(":CONSOLE"), shown.log);
        assertFalse(shown.network.contains("\"initiator\":\"file://"), "the page asked the network");
    }

    /** Without the policy the image would be asked for; with it the browser refuses and says so. */
    @Test
    void shouldForbidTheNetwork() throws IOException, InterruptedException
    {
        final Shown shown = shown(page("simulate").replace(
            "</main>", "<img alt=\"\" src=\"https://127.0.0.1:9/a.png\"></main>"));

        assertTrue(shown.log.contains("Content Security Policy"), shown.log);
    }

    @ParameterizedTest
    @ValueSource(strings = {"simulate", "compare"})
    void shouldFitAPhone(final String command) throws IOException, InterruptedException
    {
        final String width = "<script>document.title='wide '+(document.documentElement.scrollWidth-innerWidth)</script>";
        final Shown shown = shown(
            withoutPolicy(page(command)).replace("</body>", width + "</body>"), "--window-size=500,900");

        assertTrue(shown.document.contains("<title>wide -") || shown.document.contains("<title>wide 0<"), shown.document);
    }

    private static String withoutPolicy(final String page)
    {
        return page.replaceAll("<meta http-equiv=[^>]*>", "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"simulate", "compare"})
    void shouldBeAccessible(final String command) throws IOException, InterruptedException
    {
        final String axe = System.getProperty("signalbox.axe");
        assumeTrue(axe != null, "-Dsignalbox.axe=FILE is not given; it names the axe.min.js of axe-core");
        final String check = "<script>" + Files.readString(Path.of(axe)) + "</script><script>axe.run().then(found => " +
            "{ document.title = 'violations' + JSON.stringify(found.violations.map(v => v.id)); });</script>";
        final String page = withoutPolicy(page(command));

        assertTrue(shown(page.replace("</body>", check + "</body>")).document.contains("<title>violations[]<"));
        final String broken = shown(page.replace("<html lang=\"en\">", "<html>").replace("</body>", check + "</body>"))
            .document;
        assertTrue(broken.contains("html-has-lang"), "axe-core does not find a page without a language");
    }
}
