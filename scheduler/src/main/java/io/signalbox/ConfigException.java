// SPDX-License-Identifier: Apache-2.0
package io.signalbox;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A setting or an input from outside is wrong. The message is one sentence: what, where, and what to do. If settings are at
 * fault, the exception also carries their names and values, the allowed values and the remedy, so that a program can put
 * its own names of the settings into the sentence with {@link #renamed}.
 */
public class ConfigException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    /** Texts and {@link Named} settings. */
    private final Serializable[] fault;
    private final Serializable[] remedy;
    private final String allowed;

    /**
     * A setting within a sentence: {@code setting=value}.
     *
     * @param value {@code null}: the sentence names the setting alone.
     */
    public record Named(String setting, String value) implements Serializable
    {
        @Override
        public String toString()
        {
            return value == null ? setting : setting + "=" + value;
        }
    }

    /** The fault in words; {@link #remedy} completes the exception. */
    public static final class WithoutRemedy
    {
        private final Serializable[] parts;
        private String allowed;

        private WithoutRemedy(final Object... parts)
        {
            this.parts = sentenceParts(parts);
        }

        /** @param values the allowed values of the first setting, in words that fit after "is not". */
        public WithoutRemedy allowed(final String values)
        {
            allowed = values;
            return this;
        }

        /** @param remedyParts what to do, without a period: texts and {@link Named} settings. */
        public ConfigException remedy(final Object... remedyParts)
        {
            return new ConfigException(parts, allowed, sentenceParts(remedyParts));
        }
    }

    /** A fault that concerns no setting. */
    public ConfigException(final String message)
    {
        super(message);
        fault = new Serializable[0];
        remedy = null;
        allowed = null;
    }

    private ConfigException(final Serializable[] fault, final String allowed, final Serializable[] remedy)
    {
        super(text(fault) + "; " + text(remedy) + ".");
        this.fault = fault;
        this.allowed = allowed;
        this.remedy = remedy;
    }

    private static Serializable[] sentenceParts(final Object... parts)
    {
        return Arrays.stream(parts).map(part -> part instanceof Named named ? named : String.valueOf(part))
            .toArray(Serializable[]::new);
    }

    private static String text(final Serializable... parts)
    {
        return Arrays.stream(parts).map(String::valueOf).collect(Collectors.joining());
    }

    /**
     * A value that a setting does not allow; the message is "{@code setting=value is not allowed; remedy.}".
     *
     * @param allowed what the value should be, such as "between 0 and 1".
     * @param remedy  what to do, without a period.
     */
    public static ConfigException of(
        final String setting, final String value, final String allowed, final String remedy)
    {
        return because(new Named(setting, String.valueOf(value)), " is not ", allowed).allowed(allowed).remedy(remedy);
    }

    /**
     * Values of settings that do not fit each other, or the run.
     *
     * @param parts texts and {@link Named} settings, which make a sentence without its end.
     */
    public static WithoutRemedy because(final Object... parts)
    {
        return new WithoutRemedy(parts);
    }

    /** The same fault under other names of the settings. */
    public final ConfigException renamed(final UnaryOperator<String> names)
    {
        if (settings().isEmpty())
        {
            return this;
        }
        final ConfigException renamed = new ConfigException(renamed(fault, names), allowed, renamed(remedy, names));
        renamed.setStackTrace(getStackTrace());
        return renamed;
    }

    /** The same fault with the place at which it was found before its sentence, such as an option or a file. */
    public final ConfigException at(final String place)
    {
        final ConfigException placed;
        if (remedy == null)
        {
            placed = new ConfigException(place + ": " + getMessage());
        }
        else
        {
            final Serializable[] parts = new Serializable[fault.length + 1];
            parts[0] = place + ": ";
            System.arraycopy(fault, 0, parts, 1, fault.length);
            placed = new ConfigException(parts, allowed, remedy);
        }
        placed.setStackTrace(getStackTrace());
        return placed;
    }

    private static Serializable[] renamed(final Serializable[] parts, final UnaryOperator<String> names)
    {
        return Arrays.stream(parts)
            .map(part -> part instanceof Named named ? new Named(names.apply(named.setting()), named.value()) : part)
            .toArray(Serializable[]::new);
    }

    /** The fault in words, without remedy and period. */
    public final String fault()
    {
        final String message = getMessage();
        return remedy != null ? text(fault) :
            message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
    }

    /** The settings at fault, in the order in which the sentence names them. */
    public final List<Named> settings()
    {
        return Arrays.stream(fault).flatMap(part -> part instanceof Named named ? Stream.of(named) : Stream.empty())
            .toList();
    }

    /** The name of the first setting at fault, or {@code null} if no setting is. */
    public final String setting()
    {
        return settings().stream().map(Named::setting).findFirst().orElse(null);
    }

    /** The value of the first setting at fault, or {@code null}. */
    public final String value()
    {
        final List<Named> settings = settings();
        return settings.isEmpty() ? null : settings.get(0).value();
    }

    /** The allowed values of the first setting at fault, or {@code null}. */
    public final String allowed()
    {
        return allowed;
    }

    /** The remedy, or {@code null}. */
    public final String remedy()
    {
        return remedy == null ? null : text(remedy);
    }
}
