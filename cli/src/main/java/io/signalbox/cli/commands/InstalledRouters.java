// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.printing.OutputFile;
import io.signalbox.printing.RouterList;
import io.signalbox.router.DpRouters;

/** The result of {@code --list-routers}, as text or JSON. */
final class InstalledRouters
{
    private static final int DOCUMENT_BYTES = 1 << 16;

    private InstalledRouters()
    {
    }

    static int print(final Console console, final JsonOptions jsonOptions, final DpRouters routers)
    {
        try (OutputFile file = jsonOptions.reserve(DOCUMENT_BYTES))
        {
            jsonOptions.print(
                console, file, () -> RouterList.json(routers), () -> RouterList.print(console.out(), routers));
            return ExitCode.OK;
        }
    }
}
