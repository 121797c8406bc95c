// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ResultStream;
import picocli.CommandLine.Model.CommandSpec;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Access to the command line for tests of other packages: its model, and one command run on given streams. */
public final class CommandEntry
{
    private CommandEntry()
    {
    }

    /** Runs one command in this process as the launcher would; returns its exit code. */
    public static int run(final OutputStream out, final OutputStream err, final String... arguments)
    {
        return Main.run(console(out, err), arguments);
    }

    /** Every command with its options and parameters, as picocli knows them. */
    public static CommandSpec model()
    {
        return Main.commandLine(console(OutputStream.nullOutputStream(), OutputStream.nullOutputStream()))
            .getCommandSpec();
    }

    /** Every command that can be run, by its words: {@code simulate}, {@code inspect run}. */
    public static Map<String, CommandSpec> commands()
    {
        final Map<String, CommandSpec> commands = new LinkedHashMap<>();
        model().subcommands().forEach((name, command) ->
        {
            if (command.getSubcommands().isEmpty())
            {
                commands.put(name, command.getCommandSpec());
            }
            command.getSubcommands().forEach((question, line) -> commands.put(name + " " + question, line.getCommandSpec()));
        });
        return commands;
    }

    private static Console console(final OutputStream out, final OutputStream err)
    {
        return new Console(new ResultStream(out), new PrintStream(err, true, StandardCharsets.UTF_8), false);
    }
}
