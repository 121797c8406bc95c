// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ResultStream;
import picocli.CommandLine.Model.CommandSpec;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

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

    private static Console console(final OutputStream out, final OutputStream err)
    {
        return new Console(new ResultStream(out), new PrintStream(err, true, StandardCharsets.UTF_8), false);
    }
}
