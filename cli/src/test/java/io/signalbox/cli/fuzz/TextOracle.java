// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Nothing of the program's insides is printed, nothing past its streams, and no control character. */
final class TextOracle implements Oracle
{
    private static final Map<String, Pattern> FORBIDDEN = new TreeMap<>(Map.of(
        "a class name", Pattern.compile("\\b(?:java|javax|jdk|sun|com\\.sun|io\\.signalbox|net\\.openhft|com\\.fasterxml|" +
            "org\\.yaml|org\\.agrona|com\\.lmax|picocli)\\.[\\w.$]*[A-Z]\\w*"),
        "an exception", Pattern.compile("\\b(?!OutOfMemoryError\\b)[A-Z]\\w*(?:Exception|Error)\\b"),
        "a stack trace", Pattern.compile("(?m)^\\s+at [\\w.$/]+\\("),
        "an object's identity", Pattern.compile("\\[[BCIJL]@|\\w@[0-9a-f]{6,8}\\b"),
        "a null", Pattern.compile("\\(null\\)|: null$"),
        "a control character", Pattern.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f]")));

    @Override
    public List<String> complaints(final Observation seen)
    {
        final List<String> complaints = new ArrayList<>();
        if (seen.returned())
        {
            look("err", seen.outcome().err(), complaints);
            look("out", seen.outcome().out(), complaints);
            if (!seen.outcome().stray().isBlank())
            {
                complaints.add("stray: the process printed " + seen.outcome().stray().strip());
            }
        }
        return complaints;
    }

    private static void look(final String stream, final String text, final List<String> complaints)
    {
        FORBIDDEN.forEach((what, pattern) ->
        {
            final Matcher matcher = pattern.matcher(text);
            if (matcher.find())
            {
                complaints.add("text: " + stream + " has " + what + ", '" + matcher.group().strip() + "', in: " +
                    text.substring(Math.max(0, matcher.start() - 200), Math.min(text.length(), matcher.end() + 200))
                        .replaceAll("[\\x00-\\x08\\x0b-\\x1f\\x7f]", "?").strip());
            }
        });
    }
}
