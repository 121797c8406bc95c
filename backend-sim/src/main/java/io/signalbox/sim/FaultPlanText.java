// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.ConfigException;
import io.signalbox.config.NumberText;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Reads the text of a {@link FaultPlan}. Its fields are the plan's, with the defaults of a plan that says nothing. */
final class FaultPlanText
{
    final List<Fault> listed = new ArrayList<>();
    final double[] rates = new double[FaultKind.values().length];
    Long seed;
    long lateByNanos = 50_000_000;
    long stepTimeoutNanos = 5_000_000_000L;
    long backAfterNanos = 1_000_000_000;
    boolean kvMemoryKept;

    private static final int MAX_LISTED = 1_000;
    private static final int MAX_SHOWN = 60;
    private static final long MAX_STEP = 1L << 62;
    private static final int MAX_RANK = 1 << 20;
    private static final String SETTINGS =
        "seed, " + String.join(", ", FaultKind.labels()) + ", late-by, step-timeout, back-after or kv";

    private final String text;
    private final Set<String> given = new HashSet<>();
    /** The end of the statement that is being read, and its next character. */
    private int end;
    private int at;

    FaultPlanText(final String text)
    {
        this.text = text;
    }

    FaultPlan read()
    {
        if (text.length() > FaultPlan.MAX_TEXT_CHARS)
        {
            throw new ConfigException("the fault plan has " + text.length() + " characters, more than " +
                FaultPlan.MAX_TEXT_CHARS + "; list fewer faults, or give rates.");
        }
        int start = 0;
        while (start <= text.length())
        {
            end = start;
            while (end < text.length() && text.charAt(end) != '\n' && text.charAt(end) != ';' && text.charAt(end) != '#')
            {
                requirePrintable(end++);
            }
            at = start;
            statement();
            start = next(end) + 1;
        }
        if (listed.isEmpty() && Arrays.stream(rates).noneMatch(rate -> rate > 0.0))
        {
            throw new ConfigException("the fault plan has no fault; write a line such as 'rank 2 step 40 failed', or a " +
                "rate such as 'late=0.01'.");
        }
        return new FaultPlan(this);
    }

    /** The end of the statement: of the line, if a comment follows. */
    private int next(final int statementEnd)
    {
        int next = statementEnd;
        if (next < text.length() && text.charAt(next) == '#')
        {
            while (next < text.length() && text.charAt(next) != '\n')
            {
                next++;
            }
        }
        return next;
    }

    private void requirePrintable(final int index)
    {
        final char character = text.charAt(index);
        if ((character < ' ' || character > '~') && character != '\t' && character != '\r')
        {
            throw refused(index, String.format("the character U+%04X is not printable ASCII; leave it out", (int)character));
        }
    }

    private void statement()
    {
        skipBlanks();
        if (at == end)
        {
            return;
        }
        final int start = at;
        final String first = word();
        if (first.equals("rank"))
        {
            fault();
        }
        else if (first.indexOf('=') > 0)
        {
            at = start;
            settings();
        }
        else
        {
            throw refused(start, shown(first) + " begins no statement; write 'rank R step S FAULT', or key=value");
        }
    }

    private void fault()
    {
        final int start = at;
        if (listed.size() == MAX_LISTED)
        {
            throw refused(start, "this is fault " + (MAX_LISTED + 1) + ", and a plan lists at most " + MAX_LISTED +
                "; name ranges of ranks and steps, or give rates");
        }
        final long[] ranks = range("a rank", "0 to " + MAX_RANK + ", a range such as 0..3, or *", 0, MAX_RANK,
            new long[] {0, Fault.ALL_RANKS}, false);
        final int keyword = nextWord();
        final String step = word();
        if (!step.equals("step"))
        {
            throw refused(keyword, shown(step) + " follows the rank; write 'step' and the number of a step");
        }
        final long[] steps = range("a step", "1 to " + MAX_STEP + ", a range such as 10..20, an open one such as 10.., or *",
            1, MAX_STEP, new long[] {1, Long.MAX_VALUE}, true);
        final int kindAt = nextWord();
        final String name = word();
        final int index = FaultKind.labels().indexOf(name);
        if (index < 0)
        {
            throw refused(kindAt, shown(name) + " is no fault; write " + choice(FaultKind.labels()));
        }
        listed.add(fault(ranks, steps, FaultKind.values()[index]));
        refuseRest();
    }

    private Fault fault(final long[] ranks, final long[] steps, final FaultKind kind)
    {
        long nanos = 0;
        Corruption corruption = null;
        String detail = Fault.NO_DETAIL;
        switch (kind)
        {
            case LATE -> nanos = duration(nextWord(), word(), false);
            case LOST -> nanos = backAfter();
            case CORRUPT -> corruption = corruption();
            case FAILED -> detail = rest();
            default ->
            {
            }
        }
        return new Fault((int)ranks[0], (int)ranks[1], steps[0], steps[1], kind, nanos, corruption, detail);
    }

    private long backAfter()
    {
        final int keyword = nextWord();
        if (keyword == end)
        {
            return Fault.AS_PLANNED;
        }
        final String word = word();
        if (!word.equals("back-after"))
        {
            throw refused(keyword, shown(word) + " follows 'lost'; write 'back-after' and a duration, or nothing");
        }
        return duration(nextWord(), word(), true);
    }

    private Corruption corruption()
    {
        final int start = nextWord();
        final String name = word();
        final int index = Corruption.labels().indexOf(name);
        if (index < 0)
        {
            throw refused(start, shown(name) + " is no corruption; write " + choice(Corruption.labels()));
        }
        return Corruption.values()[index];
    }

    private String rest()
    {
        skipBlanks();
        final String rest = text.substring(at, end).replaceAll("[\t\r]+", " ").stripTrailing();
        at = end;
        return rest;
    }

    private long[] range(
        final String what, final String allowed, final long min, final long max, final long[] all, final boolean mayBeOpen)
    {
        final int start = nextWord();
        final String word = word();
        final String expected = shown(word) + " is not " + what + "; write " + allowed;
        if (word.equals("*"))
        {
            return all;
        }
        final int dots = word.indexOf("..");
        final String first = dots < 0 ? word : word.substring(0, dots);
        final String last = dots < 0 ? word : word.substring(dots + 2);
        final boolean open = mayBeOpen && dots > 0 && last.isEmpty();
        final long[] range =
            {bound(start, first, min, max, expected), open ? all[1] : bound(start, last, min, max, expected)};
        if (range[1] < range[0])
        {
            throw refused(start, "the range " + shown(word) + " ends before it begins; write the smaller number first");
        }
        return range;
    }

    private long bound(final int start, final String number, final long min, final long max, final String expected)
    {
        return parsed(() -> NumberText.whole(number, min, max), start, expected);
    }

    private void settings()
    {
        while (at < end)
        {
            final int comma = text.indexOf(',', at);
            final int itemEnd = comma < 0 || comma > end ? end : comma;
            skipBlanks();
            setting(at, text.substring(Math.min(at, itemEnd), itemEnd).strip());
            at = Math.min(itemEnd + 1, end);
        }
    }

    private void setting(final int start, final String item)
    {
        final int sign = item.indexOf('=');
        final String key = sign < 0 ? item : item.substring(0, sign);
        if (sign < 0)
        {
            throw refused(start, shown(item) + " has no value; write key=value, with the key " + SETTINGS);
        }
        final String value = item.substring(sign + 1);
        final int valueAt = start + sign + 1;
        final int kind = FaultKind.labels().indexOf(key);
        if (!given.add(key))
        {
            throw refused(start, key + " is given twice; give it once");
        }
        switch (key)
        {
            case "seed" -> seed = parsed(() -> NumberText.whole(value, Long.MIN_VALUE, Long.MAX_VALUE), valueAt,
                shown(value) + " is not a seed; write a whole number of 64 bits");
            case "late-by" -> lateByNanos = duration(valueAt, value, false);
            case "step-timeout" -> stepTimeoutNanos = duration(valueAt, value, false);
            case "back-after" -> backAfterNanos = duration(valueAt, value, true);
            case "kv" -> kvMemoryKept = kept(valueAt, value);
            default ->
            {
                if (kind < 0)
                {
                    throw refused(start, shown(key) + " is no key of a fault plan; write " + SETTINGS);
                }
                rates[kind] = rate(valueAt, value);
            }
        }
    }

    private boolean kept(final int start, final String value)
    {
        if (!value.equals("kept") && !value.equals("lost"))
        {
            throw refused(start, shown(value) + " is no state of KV memory after a reset; write kept or lost");
        }
        return value.equals("kept");
    }

    private double rate(final int start, final String value)
    {
        final double rate = parsed(() -> NumberText.real(value), start,
            shown(value) + " is not a rate; write the share of steps, from 0 to 1");
        double sum = rate;
        for (final double other : rates)
        {
            sum += other;
        }
        if (rate < 0.0 || rate > 1.0)
        {
            throw refused(start, shown(value) + " is not a rate; write the share of steps, from 0 to 1");
        }
        if (sum > 1.0)
        {
            throw refused(start, FaultPlan.sum(rates) + " + " + value + " is more than 1, and a step has one fault at most" +
                "; lower the rates");
        }
        return rate;
    }

    private long duration(final int start, final String value, final boolean mayBeNever)
    {
        final long nanos = FaultDuration.nanos(value);
        if (nanos == 0 || nanos == FaultPlan.NEVER && !mayBeNever)
        {
            throw refused(start, shown(value) + " is not a duration; write " + FaultDuration.ALLOWED +
                (mayBeNever ? ", or never" : ""));
        }
        return nanos;
    }

    private <T> T parsed(final Supplier<T> parsing, final int start, final String expected)
    {
        try
        {
            return parsing.get();
        }
        catch (final ConfigException e)
        {
            throw refused(start, expected);
        }
    }

    private void refuseRest()
    {
        if (nextWord() < end)
        {
            throw refused(at, shown(word()) + " follows a complete fault; end the statement with a new line or ';'");
        }
    }

    /** The start of the next word of the statement; the end of the statement if there is none. */
    private int nextWord()
    {
        skipBlanks();
        return at;
    }

    /** The next word; empty at the end of the statement. */
    private String word()
    {
        skipBlanks();
        final int start = at;
        while (at < end && !isBlank(text.charAt(at)))
        {
            at++;
        }
        return text.substring(start, at);
    }

    private void skipBlanks()
    {
        while (at < end && isBlank(text.charAt(at)))
        {
            at++;
        }
    }

    private static boolean isBlank(final char character)
    {
        return character == ' ' || character == '\t' || character == '\r';
    }

    private static String choice(final List<String> labels)
    {
        return String.join(", ", labels.subList(0, labels.size() - 1)) + " or " + labels.get(labels.size() - 1);
    }

    private static String shown(final String value)
    {
        return value.isEmpty() ? "nothing" :
            "'" + (value.length() <= MAX_SHOWN ? value : value.substring(0, MAX_SHOWN) + "...") + "'";
    }

    private ConfigException refused(final int index, final String fault)
    {
        int line = 1;
        int lineStart = 0;
        for (int i = 0; i < index; i++)
        {
            if (text.charAt(i) == '\n')
            {
                line++;
                lineStart = i + 1;
            }
        }
        return new ConfigException(
            "line " + line + ", column " + (index - lineStart + 1) + " of the fault plan: " + fault + ".");
    }
}
