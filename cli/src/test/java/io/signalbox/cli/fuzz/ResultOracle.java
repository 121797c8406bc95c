// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** A command that succeeds prints a whole result; a count, a time or a rate in it is finite and not negative. */
final class ResultOracle implements Oracle
{
    private static final Set<String> PRINT_JSON = Set.of("simulate", "compare", "replay", "inspect", "doctor");
    /** A score may be below zero. */
    private static final Set<String> SIGNED = Set.of("score", "loadTerm", "priority", "target");
    private static final Pattern NEGATIVE = Pattern.compile("(?m)^[a-zA-Z].* -\\d.*$|.*\\b(?:NaN|Infinity)\\b.*");

    @Override
    public List<String> complaints(final Observation seen)
    {
        final String out = seen.outcome().out();
        if (!seen.returned() || seen.outcome().exitCode() != 0)
        {
            return List.of();
        }
        if (out.isEmpty())
        {
            return List.of("result: nothing was printed");
        }
        if (isHelp(seen.arguments()) || !PRINT_JSON.contains(seen.command()))
        {
            return List.of();
        }
        if (seen.arguments().contains("--json") || seen.arguments().contains("--json=true"))
        {
            return json(out);
        }
        return NEGATIVE.matcher(out).results()
            .filter(match -> !match.group().contains("score") && !seen.command().equals("inspect"))
            .map(match -> "result: a figure is negative or no number: " + match.group()).limit(1).toList();
    }

    private static boolean isHelp(final List<String> arguments)
    {
        return arguments.stream().anyMatch(
            argument -> argument.startsWith("--help") || argument.startsWith("--version") || argument.matches("-[hV]+.*"));
    }

    private static List<String> json(final String text)
    {
        final List<String> complaints = new ArrayList<>();
        try (JsonParser parser = new JsonFactory().createParser(text))
        {
            int depth = 0;
            if (parser.nextToken() != JsonToken.START_OBJECT)
            {
                return List.of("result: it is no JSON object: " + text.lines().findFirst().orElse(""));
            }
            for (JsonToken token = parser.currentToken(); token != null; token = parser.nextToken())
            {
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
                if (depth == 0 && parser.nextToken() != null)
                {
                    return List.of("result: something follows the JSON object");
                }
                check(parser, token, complaints);
            }
            return complaints;
        }
        catch (final IOException e)
        {
            return List.of("result: it is not whole JSON: " + e.getMessage());
        }
    }

    private static void check(final JsonParser parser, final JsonToken token, final List<String> complaints)
        throws IOException
    {
        final boolean signed = parser.currentName() != null && SIGNED.contains(parser.currentName());
        // A moment ahead of the first group has no record.
        final boolean none = "record".equals(parser.currentName()) && parser.getText().equals("-1");
        if (token != null && token.isNumeric() && !signed && !none && parser.getText().startsWith("-"))
        {
            complaints.add("result: " + parser.currentName() + " is " + parser.getText());
        }
        if (token == JsonToken.VALUE_STRING && Set.of("NaN", "Infinity", "-Infinity").contains(parser.getText()))
        {
            complaints.add("result: " + parser.currentName() + " is " + parser.getText());
        }
    }
}
