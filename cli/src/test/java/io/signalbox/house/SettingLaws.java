// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import org.junit.jupiter.api.function.Executable;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Laws of every setting. The range is read from its words, so that words and check must agree. */
final class SettingLaws
{
    private static final String NUMBER = "(-?[0-9.]+(?:E-?[0-9]+)?)";
    private static final Pattern BETWEEN = Pattern.compile("between " + NUMBER + " and " + NUMBER);
    private static final Pattern AT_LEAST = Pattern.compile("(?:at least|>=) " + NUMBER);
    private static final Pattern AT_MOST = Pattern.compile("at most " + NUMBER);
    private static final Pattern ABOVE = Pattern.compile("above 0");

    private SettingLaws()
    {
    }

    /** Texts on the bounds of the range, which must be allowed. */
    static List<String> bounds(final Setting<?> setting)
    {
        final List<String> texts = new ArrayList<>();
        final Matcher between = BETWEEN.matcher(setting.allowed());
        final Matcher atLeast = AT_LEAST.matcher(setting.allowed());
        if (between.find())
        {
            texts.add(between.group(1));
            texts.add(between.group(2));
        }
        else if (atLeast.find())
        {
            texts.add(atLeast.group(1));
        }
        return texts;
    }

    /** Texts just outside of the range, and others that are no value. */
    static List<String> outside(final Setting<?> setting)
    {
        final String allowed = setting.allowed();
        final boolean whole = allowed.contains("whole number") || allowed.contains("power of two");
        final List<String> texts = new ArrayList<>(List.of("no such value", ""));
        final Matcher between = BETWEEN.matcher(allowed);
        final Matcher atLeast = AT_LEAST.matcher(allowed);
        final Matcher atMost = AT_MOST.matcher(allowed);
        if (between.find())
        {
            texts.add(below(between.group(1), whole));
            texts.add(above(between.group(2), whole));
        }
        else if (atLeast.find())
        {
            texts.add(below(atLeast.group(1), whole));
        }
        if (atMost.find())
        {
            texts.add(above(atMost.group(1), whole));
        }
        if (ABOVE.matcher(allowed).find())
        {
            texts.addAll(List.of("0.0", "-1.0"));
        }
        if (allowed.contains("power of two"))
        {
            texts.add("100000");
        }
        return texts;
    }

    private static String below(final String bound, final boolean whole)
    {
        return whole ? Long.toString(Long.parseLong(bound) - 1) : Double.toString(Math.nextDown(Double.parseDouble(bound)));
    }

    private static String above(final String bound, final boolean whole)
    {
        return whole ? Long.toString(Long.parseLong(bound) + 1) : Double.toString(Math.nextUp(Double.parseDouble(bound)));
    }

    static <T> void check(final Setting<T> setting)
    {
        final T byDefault = setting.check(setting.defaultValue());
        assertEquals(setting.print(byDefault), setting.print(setting.parse(setting.print(byDefault))), setting.name());
        for (final String text : bounds(setting))
        {
            final T value = setting.check(setting.parse(text));
            assertEquals(value, setting.parse(setting.print(value)), setting + "=" + text);
        }
        for (final String text : outside(setting))
        {
            requireRefused(setting, text, () -> setting.parse(text));
        }
        requireRefused(setting, "null", () -> setting.check(null));
        requireRefused(setting, "null", () -> setting.parse(null));
        assertTrue(setting.meaning().endsWith("."), setting + ": " + setting.meaning());
    }

    /** The refusal has setting, value, allowed values and remedy in fields and in its sentence. */
    static void requireRefused(final Setting<?> setting, final String text, final Executable action)
    {
        final String what = setting + "=" + text;
        final ConfigException refusal = assertThrows(ConfigException.class, action, what);
        assertEquals(setting.name(), refusal.setting(), what);
        if (text != null)
        {
            assertEquals(text, refusal.value(), what);
        }
        assertTrue(refusal.allowed() != null && !refusal.allowed().isBlank(), what);
        assertTrue(refusal.remedy() != null && !refusal.remedy().isBlank(), what);
        final String sentence = refusal.getMessage();
        assertTrue(sentence.startsWith(setting.name() + "=" + refusal.value() + " is not "), sentence);
        assertTrue(sentence.endsWith("; " + refusal.remedy() + "."), sentence);
    }
}
