// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.util.LinkedHashMap;
import java.util.Map;

/** The fields of a message's text by name, those of repeating groups as {@code group[index].field}. */
final class MessageFields
{
    private final String text;
    private final Map<String, String> fields = new LinkedHashMap<>();
    private int at;

    private MessageFields(final String text)
    {
        this.text = text;
    }

    /** In the order of the text; the name of the message is the field {@code message}. */
    static Map<String, String> of(final String message)
    {
        final MessageFields parsing = new MessageFields(message);
        final int name = message.indexOf(']');
        final int body = message.indexOf("):");
        if (!message.startsWith("[") || name < 0 || body < 0)
        {
            return Map.of("message", message);
        }
        parsing.fields.put("message", message.substring(1, name));
        parsing.at = body + 2;
        parsing.readFields("");
        return parsing.fields;
    }

    private void readFields(final String prefix)
    {
        while (at < text.length() && text.charAt(at) != ')')
        {
            final int equals = text.indexOf('=', at);
            if (equals < 0)
            {
                at = text.length();
                return;
            }
            final String name = prefix + text.substring(at, equals);
            at = equals + 1;
            if (text.startsWith("[(", at) || text.startsWith("[]", at))
            {
                readGroup(name);
            }
            else
            {
                fields.put(name, readValue());
            }
            at += at < text.length() && text.charAt(at) == '|' ? 1 : 0;
        }
    }

    private void readGroup(final String name)
    {
        at++;
        for (int index = 0; at < text.length() && text.charAt(at) == '('; index++)
        {
            at++;
            readFields(name + "[" + index + "].");
            at += at < text.length() ? 1 : 0;
            at += at < text.length() && text.charAt(at) == ',' ? 1 : 0;
        }
        at += at < text.length() ? 1 : 0;
    }

    private String readValue()
    {
        final int start = at;
        int depth = 0;
        for (; at < text.length(); at++)
        {
            final char c = text.charAt(at);
            depth += c == '(' || c == '[' || c == '{' ? 1 : 0;
            if (depth == 0 && (c == '|' || c == ')'))
            {
                break;
            }
            depth -= c == ')' || c == ']' || c == '}' ? 1 : 0;
        }
        return text.substring(start, at);
    }
}
