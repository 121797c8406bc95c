// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A case that broke a property.
 *
 * @param source     the source of cases, by name.
 * @param seed       of the case.
 * @param arguments  of the smallest case that still breaks it.
 * @param story      what was done to its input.
 * @param complaints what is wrong.
 * @param kept       the case's files.
 */
record Finding(String source, long seed, List<String> arguments, String story, List<String> complaints, Path kept)
{
    private static final int MAX_SHOWN = 200;
    private static final Pattern OWN_FRAME = Pattern.compile("at (io\\.signalbox\\.(?!cli\\.fuzz)[\\w.$]+)\\(");

    /** Findings with the same signature count as one fault. */
    String signature()
    {
        final Matcher place = OWN_FRAME.matcher(complaints.get(0));
        if (complaints.get(0).startsWith("hang") && place.find())
        {
            return "hang at " + place.group(1);
        }
        final String text = complaints.get(0).replaceFirst("(?s), in: .*", "")
            .replaceAll("(?:/[^/\\s:;,'\"]++)++", "PATH").replaceAll("-?\\d[\\d.,]*(?:E\\d+)?", "N")
            .replaceAll("'[^']*'", "'…'").replaceAll("\\b[a-z]+\\.[a-z]\\w+", "NAME");
        return text.substring(0, Math.min(110, text.length()));
    }

    String text()
    {
        return source + ", seed " + seed + (story.isEmpty() ? "" : ", " + story) + "\n  ./signalbox " + commandLine() +
            "\n" + complaints.stream().map(complaint -> "  " + complaint + "\n").collect(Collectors.joining()) +
            "  files: " + kept + "; xargs -0 ./signalbox < " + kept + "/arguments\n  again: -Dsignalbox.fuzz.seed=" + seed +
            " -Dtest=" + source + "\n";
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
