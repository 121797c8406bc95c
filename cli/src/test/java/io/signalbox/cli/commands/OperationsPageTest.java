// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Runs the commands of docs/operations.md in their order; each must print the block below it. With
 * {@code -Dsignalbox.write=true} the page gets their outputs.
 */
class OperationsPageTest
{
    private static final Path PAGE = Path.of(System.getProperty("signalbox.root"), "docs", "operations.md");
    private static final Pattern COMMAND =
        Pattern.compile("```sh\\nsignalbox ([^\\n]*)\\n```\\n\\n```\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");
    /** Arguments that are files of the command. */
    private static final Pattern FILE = Pattern.compile("runs/0001|yesterday\\.jsonl|rows|run\\.pftrace");

    @TempDir
    private Path directory;

    @Test
    void shouldPrintWhatThePageShows() throws IOException
    {
        final String page = Files.readString(PAGE);
        final List<String> commands = new ArrayList<>();
        final String printed = COMMAND.matcher(page).replaceAll(block ->
        {
            commands.add(block.group(1));
            return Matcher.quoteReplacement("```sh\nsignalbox " + block.group(1) + "\n```\n\n```\n" + output(block) + "```");
        });
        if (Boolean.getBoolean("signalbox.write"))
        {
            Files.writeString(PAGE, printed);
        }
        assertEquals(16, commands.size());
        assertEquals(page, printed);
    }

    private String output(final MatchResult block)
    {
        final List<String> arguments = new ArrayList<>();
        final Matcher words = WORD.matcher(block.group(1));
        while (words.find())
        {
            final String word = words.group(1) == null ? words.group(2) : words.group(1);
            arguments.add(FILE.matcher(word).matches() ? directory.resolve(word).toString() : word);
        }
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return run.out();
    }
}
