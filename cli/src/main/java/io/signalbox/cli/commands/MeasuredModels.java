// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.options.JsonOptions;
import io.signalbox.printing.JsonDocument;
import io.signalbox.printing.ModelsDocument;
import io.signalbox.printing.OutputFile;

/** The result of {@code --list-models}, as text or JSON. */
final class MeasuredModels
{
    private static final int DOCUMENT_BYTES = 1 << 15;

    private MeasuredModels()
    {
    }

    static int print(final Console console, final JsonOptions jsonOptions)
    {
        try (OutputFile file = jsonOptions.reserve(DOCUMENT_BYTES))
        {
            final ModelsDocument models = ModelsDocument.standard();
            jsonOptions.print(console, file, () -> JsonDocument.text(models), () -> models.print(console.out()));
            return ExitCode.OK;
        }
    }
}
