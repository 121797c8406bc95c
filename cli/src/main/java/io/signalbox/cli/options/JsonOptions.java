// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.cli.console.Console;
import io.signalbox.printing.OutputFile;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.function.Supplier;

/** The result as JSON, on standard output or in a file. */
public final class JsonOptions extends JsonFlag
{
    /** The name of the option that writes a file. */
    public static final String FILE_OPTION = "--json-file";

    @Option(names = FILE_OPTION, paramLabel = "FILE", description = "Write the JSON document to FILE as well.")
    @OutputPath
    private Path file;

    /** {@code null} if no file is asked for. */
    public Path file()
    {
        return file;
    }

    /**
     * Reserves the disk space of the file before the work begins.
     *
     * @param bytes expected size of the document.
     * @return {@code null} if no file is asked for.
     * @throws io.signalbox.ConfigException if the file cannot be written or its disk has no space.
     */
    public OutputFile reserve(final long bytes)
    {
        return OutputFile.reserve(FILE_OPTION, file, bytes);
    }

    /**
     * Prints the result as tables or as JSON, then writes the file: what is printed does not depend on the file.
     *
     * @param reserved {@code null} if no file is asked for.
     * @param document makes the JSON document.
     * @param tables   prints the tables.
     */
    public void print(
        final Console console, final OutputFile reserved, final Supplier<String> document, final Runnable tables)
    {
        final String text = isJson() || reserved != null ? document.get() : null;
        if (isJson())
        {
            console.out().print(text);
        }
        else
        {
            tables.run();
        }
        console.out().flush();
        if (reserved != null)
        {
            reserved.write(text);
        }
    }
}
