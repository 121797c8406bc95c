// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.printing.RowFormat;
import io.signalbox.printing.RowSplit;
import io.signalbox.printing.TraceForm;
import picocli.CommandLine.ITypeConverter;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/**
 * The values of an option that chooses one constant of an enum and sets nothing of the library, in lower case with hyphens.
 *
 * @param <T> the enum.
 */
public abstract class Word<T extends Enum<T>> implements ITypeConverter<T>, Iterable<String>
{
    private final String option;
    private final List<T> constants;

    private Word(final String option, final Class<T> type)
    {
        this.option = option;
        constants = List.of(type.getEnumConstants());
    }

    private static String text(final Enum<?> constant)
    {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** @throws ConfigException if the value is none of them. */
    @Override
    public final T convert(final String value)
    {
        return constants.stream().filter(constant -> text(constant).equals(value)).findFirst()
            .orElseThrow(() -> new ConfigException(option + "='" + value + "' is not known; give " +
                String.join(", ", Arrays.asList(texts()).subList(0, constants.size() - 1)) + " or " +
                texts()[constants.size() - 1] + "."));
    }

    private String[] texts()
    {
        return constants.stream().map(Word::text).toArray(String[]::new);
    }

    /** The allowed values. */
    @Override
    public final Iterator<String> iterator()
    {
        return List.of(texts()).iterator();
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
    public static final class OfTokens extends Word<Tokens>
    {
        public OfTokens()
        {
            super(JournalOptions.TOKENS, Tokens.class);
        }
    }

    /** Values of {@code experts --format}. */
    public static final class OfRows extends Word<RowFormat>
    {
        public OfRows()
        {
            super("--format", RowFormat.class);
        }
    }

    /** Values of {@code --split}. */
    public static final class OfSplit extends Word<RowSplit>
    {
        public OfSplit()
        {
            super("--split", RowSplit.class);
        }
    }

    /** Values of {@code --inherited}. */
    public static final class OfInherited extends Word<InheritedIds>
    {
        public OfInherited()
        {
            super("--inherited", InheritedIds.class);
        }
    }

    /** Values of {@code trace --format}. */
    public static final class OfTrace extends Word<TraceForm>
    {
        public OfTrace()
        {
            super("--format", TraceForm.class);
        }
    }
}
