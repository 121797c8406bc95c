// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ResultStream;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** One command run in this process, with what it printed. */
public record CommandRun(int exitCode, String out, String err)
{
    public static CommandRun of(final String... arguments)
    {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final int exitCode = Main.run(
            new Console(
                new ResultStream(out),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                false),
            arguments);
        return new CommandRun(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    public static CommandRun of(final List<String> arguments)
    {
        return of(arguments.toArray(new String[0]));
    }
}
