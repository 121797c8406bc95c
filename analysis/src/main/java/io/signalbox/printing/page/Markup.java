// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.printing.Printable;

/** Text in HTML and SVG. Names of requests, tenants, routers and files come from outside. */
final class Markup
{
    private Markup()
    {
    }

    /** The text for an element or a quoted attribute; a character that steers a terminal or the direction is replaced. */
    static String escaped(final String text)
    {
        final StringBuilder safe = new StringBuilder(text.length());
        final String printable = Printable.text(text);
        for (int i = 0; i < printable.length(); i++)
        {
            final char character = printable.charAt(i);
            switch (character)
            {
                case '&' -> safe.append("&amp;");
                case '<' -> safe.append("&lt;");
                case '>' -> safe.append("&gt;");
                case '"' -> safe.append("&quot;");
                case '\'' -> safe.append("&#39;");
                default -> safe.append(Character.isSurrogate(character) && isAlone(printable, i) ? '?' : character);
            }
        }
        return safe.toString();
    }

    private static boolean isAlone(final String text, final int at)
    {
        final char character = text.charAt(at);
        return Character.isHighSurrogate(character) ?
            at + 1 == text.length() || !Character.isLowSurrogate(text.charAt(at + 1)) :
            at == 0 || !Character.isHighSurrogate(text.charAt(at - 1));
    }

    /** A section with its heading, to which the navigation leads. */
    static String section(final String id, final String title, final String body)
    {
        return "<section id=\"" + id + "\" aria-labelledby=\"h-" + id + "\"><h2 id=\"h-" + id + "\">" + title + "</h2>" +
            body + "</section>";
    }

    static String finding(final String sentences)
    {
        return "<p class=\"finding\">" + sentences + "</p>";
    }

    /** An entry of a legend. */
    static String key(final String style, final String words)
    {
        return "<span class=\"key " + style + "\">" + words + "</span>";
    }

    /** The command that prints a figure as text, without its numbers. */
    static String foot(final String command)
    {
        return "<div class=\"foot\"><span><code>" + escaped(command) + "</code></span></div>";
    }

    /** The command that prints a figure as text, and its numbers as a table. */
    static String foot(final String command, final String name, final String table)
    {
        return "<div class=\"foot\"><span><code>" + escaped(command) + "</code></span><details class=\"data\"><summary>" +
            name + "</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + name + "\">" + table +
            "</div></details></div>";
    }

    /** A table for screen readers and copying; its first column is text. */
    static String table(final String[] heads, final Iterable<String[]> rows)
    {
        final StringBuilder table = new StringBuilder("<table><thead><tr>");
        for (int i = 0; i < heads.length; i++)
        {
            table.append("<th scope=\"col\"").append(i == 0 ? " class=\"l\">" : ">").append(escaped(heads[i]))
                .append("</th>");
        }
        table.append("</tr></thead><tbody>");
        for (final String[] row : rows)
        {
            table.append("<tr>");
            for (int i = 0; i < row.length; i++)
            {
                table.append(i == 0 ? "<td class=\"l\">" : "<td>").append(escaped(row[i])).append("</td>");
            }
            table.append("</tr>");
        }
        return table.append("</tbody></table>").toString();
    }
}
