// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import io.signalbox.server.template.TemplateToken.Kind;

import java.util.ArrayList;
import java.util.List;

/**
 * Divides a template into words. As Hugging Face's libraries have it, a block tag takes the blanks before it, if nothing
 * else is before it in its line, and the line end after it.
 */
final class TemplateLexer
{
    private static final List<String> SIGNS = List.of("**", "//", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "~", "(",
        ")", "[", "]", "{", "}", ",", ".", ":", "|", "=", "<", ">");
    private static final String RAW = "raw";

    private final String source;
    private final List<TemplateToken> tokens = new ArrayList<>();
    private int at;
    private int line = 1;
    /** Whether blanks after the last tag, or one line end, do not count. */
    private boolean trimsAll;
    private boolean trimsLineEnd;
    /** Whether a line begins after the last tag. */
    private boolean atLineStart = true;

    private TemplateLexer(final String source)
    {
        this.source = source;
    }

    static List<TemplateToken> tokens(final String template)
    {
        final String lines = template.replace("\r\n", "\n").replace('\r', '\n');
        return new TemplateLexer(lines.endsWith("\n") ? lines.substring(0, lines.length() - 1) : lines).all();
    }

    private List<TemplateToken> all()
    {
        while (at < source.length())
        {
            final int tag = tag(at);
            final int textEnd = tag < 0 ? source.length() : tag;
            text(textEnd, tag < 0 ? 0 : source.charAt(tag + 1));
            if (tag < 0)
            {
                break;
            }
            switch (source.charAt(tag + 1))
            {
                case '#' -> comment();
                case '%' -> block();
                default -> inside(Kind.VARIABLE, Kind.VARIABLE_END, "}}");
            }
        }
        tokens.add(new TemplateToken(Kind.END, "", line));
        return tokens;
    }

    private int tag(final int from)
    {
        for (int i = from; i < source.length() - 1; i++)
        {
            if (source.charAt(i) == '{' && "{%#".indexOf(source.charAt(i + 1)) >= 0)
            {
                return i;
            }
        }
        return -1;
    }

    /** Takes the text up to a tag of this kind. */
    private void text(final int end, final int kind)
    {
        String text = source.substring(at, end);
        advance(end);
        if (trimsAll)
        {
            text = text.stripLeading();
        }
        else if (trimsLineEnd && text.startsWith("\n"))
        {
            text = text.substring(1);
            atLineStart = true;
        }
        trimsAll = false;
        trimsLineEnd = false;
        final int sign = end + 2 < source.length() ? source.charAt(end + 2) : 0;
        if (kind != 0 && sign == '-')
        {
            text = text.stripTrailing();
        }
        else if ((kind == '%' || kind == '#') && sign != '+')
        {
            final int lineStart = text.lastIndexOf('\n') + 1;
            if ((lineStart > 0 || atLineStart) && text.substring(lineStart).isBlank())
            {
                text = text.substring(0, lineStart);
            }
        }
        if (!text.isEmpty())
        {
            tokens.add(new TemplateToken(Kind.TEXT, text, line));
        }
    }

    private void advance(final int to)
    {
        for (int i = at; i < to; i++)
        {
            line += source.charAt(i) == '\n' ? 1 : 0;
        }
        at = to;
    }

    private TemplateFault fault(final String message)
    {
        return new TemplateFault(message).at(line);
    }

    /** The end of a tag has been read up to its sign, if it has one. */
    private void ends(final boolean isBlock, final char sign)
    {
        trimsAll = sign == '-';
        trimsLineEnd = isBlock && sign != '+';
        atLineStart = false;
    }

    private void comment()
    {
        final int end = source.indexOf("#}", at + 2);
        if (end < 0)
        {
            throw fault("a comment has no end");
        }
        final char sign = source.charAt(end - 1);
        advance(end + 2);
        ends(true, sign);
    }

    private void block()
    {
        final int first = tokens.size();
        inside(Kind.BLOCK, Kind.BLOCK_END, "%}");
        if (tokens.size() == first + 3 && tokens.get(first + 1).is(Kind.NAME, RAW))
        {
            tokens.subList(first, tokens.size()).clear();
            raw();
        }
    }

    private void raw()
    {
        for (int i = source.indexOf("{%", at); i >= 0; i = source.indexOf("{%", i + 2))
        {
            final int end = source.indexOf("%}", i);
            if (end < 0)
            {
                break;
            }
            final String tag = source.substring(i + 2, end);
            if (tag.replaceAll("^[-+]|[-+]$", "").strip().equals("endraw"))
            {
                text(i, '%');
                advance(end + 2);
                ends(true, tag.charAt(tag.length() - 1));
                return;
            }
        }
        throw fault("a raw part has no end");
    }

    /** The words of a tag. A closing sign inside of brackets belongs to an expression. */
    private void inside(final Kind begin, final Kind end, final String closing)
    {
        tokens.add(new TemplateToken(begin, source.substring(at, at + 2), line));
        at += 2;
        if (at < source.length() && (source.charAt(at) == '-' || source.charAt(at) == '+' && end == Kind.BLOCK_END))
        {
            at++;
        }
        int open = 0;
        while (true)
        {
            while (at < source.length() && Character.isWhitespace(source.charAt(at)))
            {
                advance(at + 1);
            }
            if (at >= source.length())
            {
                throw fault("a tag has no end");
            }
            final char c = source.charAt(at);
            final boolean isSigned = (c == '-' || c == '+' && end == Kind.BLOCK_END) && source.startsWith(closing, at + 1);
            if (open == 0 && (isSigned || source.startsWith(closing, at)))
            {
                tokens.add(new TemplateToken(end, closing, line));
                at += isSigned ? 3 : 2;
                ends(end == Kind.BLOCK_END, isSigned ? c : 0);
                return;
            }
            word(c);
            final String text = tokens.get(tokens.size() - 1).text();
            final boolean isSign = tokens.get(tokens.size() - 1).kind() == Kind.SIGN;
            open += isSign && "([{".contains(text) ? 1 : isSign && ")]}".contains(text) ? -1 : 0;
        }
    }

    private void word(final char c)
    {
        if (Character.isLetter(c) || c == '_')
        {
            int end = at + 1;
            while (end < source.length() && (Character.isLetterOrDigit(source.charAt(end)) || source.charAt(end) == '_'))
            {
                end++;
            }
            add(Kind.NAME, end);
        }
        else if (c >= '0' && c <= '9')
        {
            number();
        }
        else if (c == '\'' || c == '"')
        {
            string(c);
        }
        else
        {
            final String sign = SIGNS.stream().filter(candidate -> source.startsWith(candidate, at)).findFirst()
                .orElseThrow(() -> fault("the character '" + c + "' does not belong into a tag"));
            add(Kind.SIGN, at + sign.length());
        }
    }

    private void add(final Kind kind, final int end)
    {
        tokens.add(new TemplateToken(kind, source.substring(at, end), line));
        at = end;
    }

    private int digits(final int from)
    {
        int end = from;
        while (end < source.length() && "0123456789_".indexOf(source.charAt(end)) >= 0)
        {
            end++;
        }
        return end;
    }

    private void number()
    {
        int end = digits(at);
        Kind kind = Kind.WHOLE;
        if (end < source.length() - 1 && source.charAt(end) == '.' && Character.isDigit(source.charAt(end + 1)))
        {
            end = digits(end + 1);
            kind = Kind.REAL;
        }
        if (end < source.length() && (source.charAt(end) == 'e' || source.charAt(end) == 'E'))
        {
            final int sign = end + 1 < source.length() && "+-".indexOf(source.charAt(end + 1)) >= 0 ? 1 : 0;
            if (digits(end + 1 + sign) > end + 1 + sign)
            {
                end = digits(end + 1 + sign);
                kind = Kind.REAL;
            }
        }
        tokens.add(new TemplateToken(kind, source.substring(at, end).replace("_", ""), line));
        at = end;
    }

    private void string(final char quote)
    {
        final StringBuilder text = new StringBuilder();
        final int first = line;
        int i = at + 1;
        while (i < source.length() && source.charAt(i) != quote)
        {
            i = source.charAt(i) == '\\' && i + 1 < source.length() ? escape(i + 1, text) : plain(i, text);
        }
        if (i >= source.length())
        {
            throw fault("a string has no end");
        }
        advance(i + 1);
        tokens.add(new TemplateToken(Kind.STRING, text.toString(), first));
    }

    private int plain(final int i, final StringBuilder text)
    {
        text.append(source.charAt(i));
        return i + 1;
    }

    /** Returns where the string goes on. */
    private int escape(final int i, final StringBuilder text)
    {
        final char c = source.charAt(i);
        final int known = "ntrbfav0\n".indexOf(c);
        if (known >= 0)
        {
            text.append(c == '\n' ? "" : "\n\t\r\b\f\u0007\u000b\0".substring(known, known + 1));
            return i + 1;
        }
        final int digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
        if (digits == 0)
        {
            text.append("\\'\"".indexOf(c) >= 0 ? "" : "\\").append(c);
            return i + 1;
        }
        try
        {
            text.appendCodePoint(Integer.parseInt(source.substring(i + 1, i + 1 + digits), 16));
            return i + 1 + digits;
        }
        catch (final IllegalArgumentException | StringIndexOutOfBoundsException e)
        {
            throw fault("a string has '\\" + c + "' without the " + digits + " digits of a character");
        }
    }
}
