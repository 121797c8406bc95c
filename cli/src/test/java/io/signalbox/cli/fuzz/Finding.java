// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A case that broke a property.
 *
 * @param story      what was done to its input.
 * @param complaints what is wrong.
 * @param kept       the case's files.
 */
record Finding(List<String> arguments, String story, List<String> complaints, Path kept)
{
    private static final int MAX_SHOWN = 200;

    String text()
    {
        return (story.isEmpty() ? "" : story + "\n") + "  ./signalbox " + commandLine() +
            "\n" + complaints.stream().map(complaint -> "  " + complaint + "\n").collect(Collectors.joining()) +
            "  files: " + kept + "; xargs -0 ./signalbox < " + kept + "/arguments\n";
    }

    /** For a shell; bytes that it cannot show are written as escapes of {@code $'...'}. */
    String commandLine()
    {
        return arguments.stream().map(Finding::quoted).collect(Collectors.joining(" "));
    }

    private static String quoted(final String argument)
    {
        if (argument.length() > MAX_SHOWN)
        {
            return quoted(argument.substring(0, MAX_SHOWN)) + "...[" + argument.length() + " characters]";
        }
        if (argument.matches("[\\w/.:,=@%+-]+"))
        {
            return argument;
        }
        final StringBuilder text = new StringBuilder("$'");
        argument.chars().forEach(character -> text.append(character == '\'' || character == '\\' ? "\\" + (char)character :
            character < ' ' || character == 0x7f || Character.isSurrogate((char)character)
                ? "\\u%04x".formatted(character) : String.valueOf((char)character)));
        return text.append('\'').toString();
    }
}
