// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.Progress;
import io.signalbox.cli.options.ProgressOption;
import io.signalbox.model.LoadProgress;
import io.signalbox.printing.Decimals;

import java.util.function.Supplier;

/** Shows how much of a model a backend has copied. */
final class ModelLoading implements LoadProgress
{
    private final Console console;
    private final ProgressOption option;
    private final String command;
    private volatile Progress progress;
    private long totalBytes;
    private long copiedBytes;

    /** @param command begins each line of progress. */
    ModelLoading(final Console console, final ProgressOption option, final String command)
    {
        this.console = console;
        this.option = option;
        this.command = command;
    }

    /** Makes a backend that copies so many bytes of weights. */
    <T> T show(final long weightBytes, final Supplier<T> loading)
    {
        totalBytes = weightBytes;
        try (Progress shown = option.show(console, command + ", loading"))
        {
            progress = shown;
            return loading.get();
        }
        finally
        {
            progress = null;
        }
    }

    /** A backend may copy weights in several threads, or again when it starts. */
    @Override
    public synchronized void copied(final long bytes)
    {
        copiedBytes += bytes;
        if (progress != null)
        {
            progress.show(copiedBytes, totalBytes,
                () -> Decimals.bytes(copiedBytes) + " of " + Decimals.bytes(totalBytes));
        }
    }
}
