// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import picocli.CommandLine;

import java.nio.file.Path;

/** Converts arguments with our own sentences about those that are wrong. */
public final class ArgumentConverters
{
    private ArgumentConverters()
    {
    }

    public static void register(final CommandLine line)
    {
        line.registerConverter(int.class, new NumberConverter.WholeInt());
        line.registerConverter(Integer.class, new NumberConverter.WholeInt());
        line.registerConverter(long.class, new NumberConverter.WholeLong());
        line.registerConverter(Long.class, new NumberConverter.WholeLong());
        line.registerConverter(double.class, new NumberConverter.Real());
        line.registerConverter(Double.class, new NumberConverter.Real());
        line.registerConverter(Path.class, new PathConverter());
        // An argument that begins with @ is a name like any other, and no file with further arguments.
        line.setExpandAtFiles(false);
    }
}
