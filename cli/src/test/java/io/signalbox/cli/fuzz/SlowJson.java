// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A slow and obvious parser of RFC 8259, to hold the program's reading against. Objects become maps, arrays lists, texts
 * strings with their quotes, and numbers and literals their own text in a {@link Word}.
 */
final class SlowJson
{
    private static final int MAX_DEPTH = 2_000;
    private static final Pattern NUMBER = Pattern.compile("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?");
    private static final Pattern TEXT =
        Pattern.compile("\"(?:[^\"\\\\\\x00-\\x1f]|\\\\[\"\\\\/bfnrt]|\\\\u[0-9a-fA-F]{4})*+\"");

    private static final Pattern ESCAPE = Pattern.compile("\\\\u([0-9a-fA-F]{4})|\\\\(.)");

    private final String text;
    private int at;

    private SlowJson(final String text)
    {
        this.text = text;
    }

    /** A number or a literal as it is written. */
    record Word(String text)
    {
    }

    /** The text is not JSON, or nested deeper than this parser follows. */
    static final class NotJson extends Exception
    {
        private static final long serialVersionUID = 1;

        NotJson(final String message)
        {
            super(message);
        }
    }

    static Object parse(final String text) throws NotJson
    {
        final SlowJson json = new SlowJson(text);
        final Object value = json.value(0);
        json.space();
        if (json.at != text.length())
        {
            throw new NotJson("something follows at column " + json.at);
        }
        return value;
    }

    private Object value(final int depth) throws NotJson
    {
        space();
        if (depth > MAX_DEPTH || at == text.length())
        {
            throw new NotJson(depth > MAX_DEPTH ? "too deep" : "it ends early");
        }
        switch (text.charAt(at))
        {
            case '{':
                return object(depth);
            case '[':
                return array(depth);
            case '"':
                return match(TEXT);
            default:
                for (final String literal : List.of("true", "false", "null"))
                {
                    if (text.startsWith(literal, at))
                    {
                        at += literal.length();
                        return new Word(literal);
                    }
                }
                return new Word(match(NUMBER));
        }
    }

    private Map<String, Object> object(final int depth) throws NotJson
    {
        final Map<String, Object> object = new LinkedHashMap<>();
        at++;
        space();
        boolean more = !skip('}');
        while (more)
        {
            space();
            final String name = unescaped(match(TEXT));
            space();
            require(':');
            if (object.put(name, value(depth + 1)) != null)
            {
                throw new NotJson("the field " + name + " is there twice");
            }
            space();
            more = skip(',');
            if (!more)
            {
                require('}');
            }
        }
        return object;
    }

    private List<Object> array(final int depth) throws NotJson
    {
        final List<Object> array = new ArrayList<>();
        at++;
        space();
        boolean more = !skip(']');
        while (more)
        {
            array.add(value(depth + 1));
            space();
            more = skip(',');
            if (!more)
            {
                require(']');
            }
        }
        return array;
    }

    /** The characters that a text in quotes stands for; other escapes than those of letters do not occur in names. */
    static String unescaped(final String quoted)
    {
        return ESCAPE.matcher(quoted.substring(1, quoted.length() - 1)).replaceAll(escape -> Matcher.quoteReplacement(
            escape.group(1) == null ? escape.group(2) : String.valueOf((char)Integer.parseInt(escape.group(1), 16))));
    }

    private String match(final Pattern pattern) throws NotJson
    {
        final Matcher matcher = pattern.matcher(text).region(at, text.length());
        if (!matcher.lookingAt())
        {
            throw new NotJson("column " + at + " fits nothing");
        }
        at = matcher.end();
        return matcher.group();
    }

    private void space()
    {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0)
        {
            at++;
        }
    }

    private boolean skip(final char expected)
    {
        if (at < text.length() && text.charAt(at) == expected)
        {
            at++;
            return true;
        }
        return false;
    }

    private void require(final char expected) throws NotJson
    {
        if (!skip(expected))
        {
            throw new NotJson("column " + at + " lacks " + expected);
        }
    }
}
