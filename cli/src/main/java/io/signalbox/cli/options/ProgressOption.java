// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.Progress;
import picocli.CommandLine.Option;

/** The option of commands that can take long. */
public final class ProgressOption
{
    @Option(names = "--progress",
        description = "Show progress on standard error even if it is not a terminal: a line every 5 seconds.")
    private boolean asked;

    /** @param command begins each line that is not on a terminal. */
    public Progress show(final Console console, final String command)
    {
        return new Progress(console, command, asked);
    }
}
