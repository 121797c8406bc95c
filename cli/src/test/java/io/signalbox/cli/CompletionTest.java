// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.commands.HelpCommand;
import io.signalbox.cli.commands.InspectCommand;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Lets bash complete words with the script. */
@Tag("threads")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class CompletionTest
{
    @TempDir
    private Path directory;

    /** The completions that bash offers for the last of these words. */
    private List<String> complete(final String... words) throws IOException, InterruptedException
    {
        final Path script = directory.resolve("completion");
        Files.writeString(script, CommandRun.of("completion", "bash").out());
        final String command = "source \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMP_LINE=\"$*\"; " +
            "COMP_POINT=${#COMP_LINE}; _complete_signalbox; printf '%s\\n' \"${COMPREPLY[@]}\"";
        final ProcessBuilder builder = new ProcessBuilder("bash", "-c", command, script.toString());
        builder.command().addAll(List.of(words));
        final Path err = directory.resolve("err");
        final Process process = builder.redirectError(err.toFile()).start();
        final String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), Files.readString(err));
        return out.lines().map(String::strip).toList();
    }

    private static void needsBash()
    {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "skipped: this system has no /bin/bash");
    }

    @Test
    void shouldCompleteCommandsOptionsAndValuesInBash() throws IOException, InterruptedException
    {
        needsBash();

        assertEquals(List.of("simulate"), complete("signalbox", "sim"));
        assertEquals(List.of("--router", "--router-config", "--router-options"),
            complete("./signalbox", "simulate", "--router").stream().sorted().toList());
        assertTrue(complete("signalbox", "simulate", "--router", "kv").contains("kv-aware"));
        assertTrue(complete("signalbox", "").containsAll(
            List.of("simulate", "run", "compare", "replay", "inspect", "experts", "trace", "timeline", "doctor", "gpu",
                "help", "completion")));
    }

    @Test
    void shouldCompleteBothFormsOfAFlag() throws IOException, InterruptedException
    {
        needsBash();

        assertEquals(List.of("--capture"), complete("signalbox", "run", "--cap"));
        assertEquals(new TreeSet<>(List.of("--no-capture", "--no-combine-weights")),
            new TreeSet<>(complete("signalbox", "run", "--no-c")));
        assertEquals(List.of("--no-prefix-caching"), complete("signalbox", "compare", "--no-pre"));
        assertEquals(List.of("--no-journal"), complete("signalbox", "simulate", "--no-j"));
        assertEquals(List.of(""), complete("signalbox", "inspect", "run", "--no-c"));
    }

    @Test
    void shouldCompleteEveryElementOfAList() throws IOException, InterruptedException
    {
        needsBash();

        assertEquals(List.of("kv-aware,round-robin"), complete("signalbox", "compare", "--router", "kv-aware,rou"));
        assertEquals(List.of("round-robin"), complete("signalbox", "compare", "--router", "rou"));
        assertEquals(List.of("Free,Commit,Placed"),
            complete("signalbox", "inspect", "events", "--message", "Free,Commit,Pl"));
        assertEquals(List.of(""), complete("signalbox", "simulate", "--router", "kv-aware,rou"));
    }

    @Test
    void shouldCompleteTheQuestionsOfInspectAndTheirOptions() throws IOException, InterruptedException
    {
        needsBash();

        assertEquals(new TreeSet<>(InspectCommand.QUESTIONS), words(complete("signalbox", "inspect", "")));
        assertEquals(List.of("moment"), complete("signalbox", "inspect", "mom"));
        assertEquals(List.of("--of-conversation"), complete("signalbox", "inspect", "requests", "--of"));
        assertEquals(new TreeSet<>(List.of("requests", "ranks", "blocks")),
            words(complete("signalbox", "inspect", "moment", "--show", "")));
    }

    @Test
    void shouldCompleteArgumentsThatAreNoOptions() throws IOException, InterruptedException
    {
        needsBash();

        assertEquals(new TreeSet<>(HelpCommand.COMMANDS), words(complete("signalbox", "help", "")));
        assertEquals(List.of("inspect"), complete("signalbox", "help", "ins"));
        assertEquals(new TreeSet<>(List.of("bash", "zsh")), words(complete("signalbox", "completion", "")));
        assertEquals(new TreeSet<>(CommandEntry.model().subcommands().keySet()), new TreeSet<>(HelpCommand.COMMANDS));
    }

    @Test
    void shouldCompleteValuesAsTheHelpWritesThem() throws IOException, InterruptedException
    {
        needsBash();

        assertEquals(new TreeSet<>(List.of("process", "batch", "record")),
            words(complete("signalbox", "simulate", "--durability", "")));
        assertEquals(List.of("ref-zero"), complete("signalbox", "compare", "--eviction", "r"));
    }

    /** Without the options that every command has. */
    private static TreeSet<String> words(final List<String> completions)
    {
        return completions.stream().filter(word -> !word.startsWith("-") && !word.isEmpty())
            .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void shouldSayHowToLoadTheScriptOnlyInTheHelp()
    {
        final String script = CommandRun.of("completion", "bash").out();

        assertTrue(script.startsWith("# Completes commands, options and their values after 'signalbox'"), script);
        assertFalse(script.contains("bash_profile") || script.contains("picocli.info") || script.contains("see ["), script);
    }

    @Test
    void shouldRegisterTheLauncherInBothShells()
    {
        final String bash = CommandRun.of("completion", "bash").out();

        assertTrue(bash.lines().anyMatch(line -> line.startsWith("complete -F _complete_signalbox") &&
            line.contains(" signalbox")), bash);
        final CommandRun zsh = CommandRun.of("completion", "zsh");
        assertEquals(ExitCode.OK, zsh.exitCode());
        assertTrue(zsh.out().contains("bashcompinit"), zsh.out());
    }
}
