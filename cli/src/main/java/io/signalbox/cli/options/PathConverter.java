// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import picocli.CommandLine.ITypeConverter;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Paths of options. Under a locale without UTF-8, Java has no paths with other letters than those of ASCII. */
public final class PathConverter implements ITypeConverter<Path>
{
    @Override
    public Path convert(final String value)
    {
        return path(value);
    }

    /** @throws ConfigException when the text is no path on this machine, or in this locale. */
    public static Path path(final String text)
    {
        try
        {
            return Path.of(text);
        }
        catch (final InvalidPathException e)
        {
            throw new ConfigException("'" + text.replaceAll("\\p{Cntrl}", "?") + "' is no path in this locale, whose file " +
                "names are in " + System.getProperty("sun.jnu.encoding") + "; set LC_ALL=C.UTF-8, or rename the file.");
        }
    }
}
