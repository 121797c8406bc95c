// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.where;

import io.signalbox.ConfigException;
import io.signalbox.printing.TableColumn;
import io.signalbox.printing.where.ColumnComparison.Operator;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a {@link RowCondition}. Its limits bound the time and the stack of hostile texts. */
final class ConditionParser
{
    static final int MOST_CHARACTERS = 1_000;
    static final int MOST_COMPARISONS = 100;
    static final int MOST_PARENTHESES = 20;

    private static final String OPTION = "--where";
    private static final Pattern NUMBER = Pattern.compile("(-?[0-9]{1,18}(?:\\.[0-9]{1,18})?)([a-zA-Z%]{0,3})");
    private static final Map<String, BigDecimal> NANOS = Map.of("ns", BigDecimal.ONE, "us", new BigDecimal("1e3"), "ms",
        new BigDecimal("1e6"), "s", new BigDecimal("1e9"), "min", new BigDecimal("60e9"), "h", new BigDecimal("3600e9"));
    private static final String STOPS = "()'\"=!<>~";

    private final String text;
    private final List<TableColumn> columns;
    private int at;
    private int depth;
    private int comparisons;

    ConditionParser(final String text, final List<TableColumn> columns)
    {
        this.text = text;
        this.columns = columns;
    }

    RowCondition parse()
    {
        if (text.length() > MOST_CHARACTERS)
        {
            throw new ConfigException(
                OPTION + " has " + text.length() + " characters; give at most " + MOST_CHARACTERS + ".");
        }
        final RowCondition condition = joined(false);
        if (at < text.length())
        {
            throw unexpected("'and', 'or' or the end");
        }
        return condition;
    }

    /** Comparisons joined by {@code and}, or such terms joined by {@code or}. */
    private RowCondition joined(final boolean isAnd)
    {
        final List<RowCondition> parts = new ArrayList<>();
        do
        {
            parts.add(isAnd ? term() : joined(true));
        }
        while (takesWord(isAnd ? "and" : "or"));
        return parts.size() == 1 ? parts.get(0) : new RowCondition.Joined(List.copyOf(parts), isAnd);
    }

    private RowCondition term()
    {
        if (!takes("("))
        {
            return comparison();
        }
        if (++depth > MOST_PARENTHESES)
        {
            throw new ConfigException(OPTION + " nests more than " + MOST_PARENTHESES + " parentheses; leave some out.");
        }
        final RowCondition inner = joined(false);
        if (!takes(")"))
        {
            throw unexpected("')'");
        }
        depth--;
        return inner;
    }

    private RowCondition comparison()
    {
        if (++comparisons > MOST_COMPARISONS)
        {
            throw new ConfigException(OPTION + " has more than " + MOST_COMPARISONS + " comparisons; leave some out.");
        }
        final String name = word();
        if (name.isEmpty())
        {
            throw unexpected("a column");
        }
        final TableColumn column = TableColumn.named(columns, name, OPTION);
        for (final Operator operator : Operator.values())
        {
            if (takes(operator.sign))
            {
                return new ColumnComparison(column, operator, constant(column, operator));
            }
        }
        throw unexpected("=, !=, <, <=, >, >= or ~");
    }

    /** {@code null}: none. */
    private Object constant(final TableColumn column, final Operator operator)
    {
        skipSpaces();
        final boolean isQuoted = at < text.length() && (text.charAt(at) == '\'' || text.charAt(at) == '"');
        final String value = isQuoted ? quoted() : word();
        if (value.isEmpty() && !isQuoted)
        {
            throw unexpected("a value");
        }
        final boolean isNone = value.equals(ColumnComparison.NONE) && !isQuoted;
        final boolean isText = column.kind() == TableColumn.Kind.TEXT;
        if (isNone || isText ? !operator.isEquality() && (isNone || operator != Operator.CONTAINS) :
            operator == Operator.CONTAINS)
        {
            throw new ConfigException(OPTION + " compares " + column.name() + " by " + operator.sign + ", and " +
                (isNone ? "none has no order; use = or !=." : isText ? "it is a text; use =, != or ~ for contains." :
                "it is a number; use =, !=, <, <=, > or >=."));
        }
        return isNone ? null : isText ? value : number(column, value);
    }

    /** In the unit of the record: nanoseconds of a time. */
    private static BigDecimal number(final TableColumn column, final String value)
    {
        final boolean isTime = column.kind() == TableColumn.Kind.MILLISECONDS || column.kind() == TableColumn.Kind.SECONDS;
        final Matcher parts = NUMBER.matcher(value);
        if (!parts.matches())
        {
            throw notANumber(column, value, isTime);
        }
        final BigDecimal number = new BigDecimal(parts.group(1));
        final String unit = parts.group(2).toLowerCase(Locale.ROOT);
        if (isTime)
        {
            final BigDecimal nanos = NANOS.get(
                !unit.isEmpty() ? unit : column.kind() == TableColumn.Kind.SECONDS ? "s" : "ms");
            if (nanos != null)
            {
                return number.multiply(nanos);
            }
        }
        else if (unit.isEmpty() || unit.equals("%") && column.kind() == TableColumn.Kind.REAL)
        {
            return unit.isEmpty() ? number : number.movePointLeft(2);
        }
        throw notANumber(column, value, isTime);
    }

    private static ConfigException notANumber(final TableColumn column, final String value, final boolean isTime)
    {
        return new ConfigException(OPTION + " compares " + column.name() + " with '" + value + "', which is not a " +
            (isTime ? "time; give a number, also with ns, us, ms, s, min or h." : "number; give one such as 12."));
    }

    private String quoted()
    {
        final char quote = text.charAt(at);
        final int end = text.indexOf(quote, at + 1);
        if (end < 0)
        {
            throw new ConfigException(OPTION + " opens a quotation at character " + (at + 1) + " that does not end; add " +
                quote + ".");
        }
        final String inner = text.substring(at + 1, end);
        at = end + 1;
        return inner;
    }

    private String word()
    {
        skipSpaces();
        final int from = at;
        while (at < text.length() && !Character.isWhitespace(text.charAt(at)) && STOPS.indexOf(text.charAt(at)) < 0)
        {
            at++;
        }
        return text.substring(from, at);
    }

    private boolean takes(final String sign)
    {
        skipSpaces();
        final boolean isNext = text.startsWith(sign, at);
        at += isNext ? sign.length() : 0;
        return isNext;
    }

    private boolean takesWord(final String wanted)
    {
        final int before = at;
        if (word().equalsIgnoreCase(wanted))
        {
            return true;
        }
        at = before;
        skipSpaces();
        return false;
    }

    private void skipSpaces()
    {
        while (at < text.length() && Character.isWhitespace(text.charAt(at)))
        {
            at++;
        }
    }

    private ConfigException unexpected(final String wanted)
    {
        skipSpaces();
        final String found = at == text.length() ? "ends" :
            "has '" + text.substring(at, Math.min(text.length(), at + 20)) + "'";
        return new ConfigException(OPTION + " " + found + " at character " + (at + 1) + " where " + wanted +
            " is expected; see 'signalbox inspect requests --help'.");
    }
}
