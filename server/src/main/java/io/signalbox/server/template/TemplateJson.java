// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** JSON as Python writes it, with characters beyond ASCII as they are. */
final class TemplateJson
{
    private static final int FIRST_PRINTED = 0x20;
    private static final int MOST_DEPTH = 100;

    private final Rendering rendering;
    private final String indent;
    private final String comma;
    private final String colon;
    private final boolean sorted;
    private final StringBuilder out = new StringBuilder();

    private TemplateJson(final Rendering rendering, final Function.Arguments given)
    {
        this.rendering = rendering;
        final Object spaces = given.get(0, "indent", null);
        indent = spaces == null ? null : spaces instanceof String ? (String)spaces :
            " ".repeat((int)Math.max(0, Math.min(16, (Long)spaces)));
        final Object separators = given.named().get("separators");
        final List<Object> signs = separators == null ? List.of(indent == null ? ", " : ",", ": ") :
            TemplateValues.list(separators);
        comma = TemplateMethods.text(signs.get(0));
        colon = TemplateMethods.text(signs.get(1));
        sorted = TemplateValues.truth(given.named().get("sort_keys"));
    }

    static String of(final Object value, final Function.Arguments given, final Rendering rendering)
    {
        final TemplateJson json = new TemplateJson(rendering, given);
        json.write(value, 0);
        return json.out.toString();
    }

    private void write(final Object value, final int depth)
    {
        rendering.length(out.length() / 64);
        if (depth > MOST_DEPTH || out.length() > Rendering.MOST_CHARACTERS)
        {
            throw new TemplateFault("a value is too large for JSON");
        }
        if (value instanceof String)
        {
            write((String)value);
        }
        else if (value instanceof Map)
        {
            write((Map<?, ?>)value, depth);
        }
        else if (value instanceof List)
        {
            write((List<?>)value, depth);
        }
        else if (value == null || value instanceof Boolean || value instanceof Long)
        {
            out.append(value);
        }
        else if (value instanceof Double)
        {
            out.append(Double.isNaN((Double)value) ? "NaN" : TemplateText.real((Double)value).replace("inf", "Infinity"));
        }
        else
        {
            throw value instanceof Undefined ? ((Undefined)value).fault() :
                new TemplateFault("a value of type " + TemplateValues.type(value) + " has no JSON");
        }
    }

    private void line(final int depth)
    {
        if (indent != null)
        {
            out.append('\n').append(indent.repeat(depth));
        }
    }

    private void write(final Map<?, ?> map, final int depth)
    {
        final List<Map.Entry<?, ?>> entries = new ArrayList<>(map.entrySet());
        if (sorted)
        {
            entries.sort(Comparator.comparing(Map.Entry::getKey, TemplateValues::compare));
        }
        out.append('{');
        for (int i = 0; i < entries.size(); i++)
        {
            out.append(i == 0 ? "" : comma);
            line(depth + 1);
            final Object key = entries.get(i).getKey();
            write(key instanceof String ? (String)key : key == null || key instanceof Boolean ? String.valueOf(key) :
                TemplateText.of(key));
            out.append(colon);
            write(entries.get(i).getValue(), depth + 1);
        }
        end(entries.isEmpty(), '}', depth);
    }

    private void write(final List<?> list, final int depth)
    {
        out.append('[');
        for (int i = 0; i < list.size(); i++)
        {
            out.append(i == 0 ? "" : comma);
            line(depth + 1);
            write(list.get(i), depth + 1);
        }
        end(list.isEmpty(), ']', depth);
    }

    private void end(final boolean isEmpty, final char sign, final int depth)
    {
        if (!isEmpty)
        {
            line(depth);
        }
        out.append(sign);
    }

    private void write(final String text)
    {
        out.append('"');
        for (int i = 0; i < text.length(); i++)
        {
            final char c = text.charAt(i);
            final int known = "\"\\\n\r\t\b\f".indexOf(c);
            if (known >= 0)
            {
                out.append('\\').append("\"\\nrtbf".charAt(known));
            }
            else if (c < FIRST_PRINTED)
            {
                out.append(String.format("\\u%04x", (int)c));
            }
            else
            {
                out.append(c);
            }
        }
        out.append('"');
    }
}
