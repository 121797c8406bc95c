// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.printing.RowFormat;
import io.signalbox.printing.RowSplit;
import io.signalbox.printing.TraceForm;
import picocli.CommandLine.ITypeConverter;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The values of an option that chooses one constant of an enum: in lower case with hyphens. The shell completes the same
 * ones. No setting of the library has the choice.
 *
 * @param <T> the enum.
 */
public abstract class Choice<T extends Enum<T>> implements ITypeConverter<T>, Iterable<String>
{
    private final List<T> constants;
    private final Function<String, T> parser;

    private Choice(final String option, final Class<T> type)
    {
        constants = List.of(type.getEnumConstants());
        parser = value -> constants.stream().filter(constant -> text(constant).equals(value)).findFirst()
            .orElseThrow(() -> new ConfigException(option + "='" + value + "' is not known; give " +
                constants.stream().limit(constants.size() - 1L).map(Choice::text).collect(Collectors.joining(", ")) +
                " or " + text(constants.get(constants.size() - 1)) + "."));
    }

    private static String text(final Enum<?> constant)
    {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** @throws ConfigException if the value is none of them. */
    @Override
    public final T convert(final String value)
    {
        return parser.apply(value);
    }

    /** The allowed values. */
    @Override
    public final Iterator<String> iterator()
    {
        return constants.stream().map(Choice::text).iterator();
    }

    /** Ids of inherited rows in an export. */
    public enum InheritedIds
    {
        /** As they are. */
        KEEP,
        /** Replaced by -1. */
        MASK
    }

    /** How a journal has the tokens of prompts and answers. */
    public enum Tokens
    {
        /** As their ids. */
        IDS,
        /** Not at all; blocks of tokens have keyed hashes. */
        HASHES
    }

    /** Values of {@code --journal-tokens}. */
    public static final class OfTokens extends Choice<Tokens>
    {
        public OfTokens()
        {
            super(JournalOptions.TOKENS, Tokens.class);
        }
    }

    /** Values of {@code experts --format}. */
    public static final class OfRows extends Choice<RowFormat>
    {
        public OfRows()
        {
            super("--format", RowFormat.class);
        }
    }

    /** Values of {@code --split}. */
    public static final class OfSplit extends Choice<RowSplit>
    {
        public OfSplit()
        {
            super("--split", RowSplit.class);
        }
    }

    /** Values of {@code --inherited}. */
    public static final class OfInherited extends Choice<InheritedIds>
    {
        public OfInherited()
        {
            super("--inherited", InheritedIds.class);
        }
    }

    /** Values of {@code trace --format}. */
    public static final class OfTrace extends Choice<TraceForm>
    {
        public OfTrace()
        {
            super("--format", TraceForm.class);
        }
    }
}
