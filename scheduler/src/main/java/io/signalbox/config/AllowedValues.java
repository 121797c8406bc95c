// SPDX-License-Identifier: Apache-2.0
package io.signalbox.config;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The values of a setting: which are allowed, and their text.
 *
 * @param type    the kind of the values, in words.
 * @param words   the allowed values, in words that fit after "is not".
 * @param bounds  the same for a value of the right kind; shorter if the kind need not be said.
 * @param parser  returns {@code null} or throws a {@link NumberFormatException} if a text is no value. A
 *                {@link io.signalbox.ConfigException} says in a clause why it is none.
 * @param printer the parser reads its text back exactly.
 * @param labels  the texts of all values of a choice; empty for other kinds.
 */
record AllowedValues<T>(
    String type, String words, String bounds, Function<String, T> parser, Function<T, String> printer, Predicate<T> test,
    List<String> labels)
{
    private static final String SEPARATOR = ",";

    private AllowedValues(
        final String type, final String words, final String bounds, final Function<String, T> parser,
        final Function<T, String> printer, final Predicate<T> test)
    {
        this(type, words, bounds, parser, printer, test, List.of());
    }

    static <T> AllowedValues<T> of(
        final String type,
        final String words,
        final Function<String, T> parser,
        final Function<T, String> printer,
        final Predicate<T> test)
    {
        return new AllowedValues<>(type, words, words, parser, printer, test);
    }

    static <T> AllowedValues<T> choices(final List<String> labels, final List<T> values, final Function<T, String> printer)
    {
        final String words = "one of " + String.join(", ", labels);
        return new AllowedValues<>("choice", words, words,
            text -> labels.contains(text) ? values.get(labels.indexOf(text)) : null, printer, values::contains, labels);
    }

    /** The text of a constant on the command line. */
    static String optionText(final String label)
    {
        return label.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static AllowedValues<Double> reals(final double min, final double max)
    {
        final boolean finite = max == Double.MAX_VALUE;
        final boolean positive = min == Double.MIN_VALUE;
        final String range = finite ? "a finite number " + (positive ? "above 0" : ">= " + text(min)) :
            positive ? "above 0 and at most " + text(max) : "between " + text(min) + " and " + text(max);
        return new AllowedValues<>("number", finite ? range : "a number " + range, range, AllowedValues::real,
            DoubleText::of, value -> value >= min && value <= max);
    }

    static AllowedValues<Integer> integers(final int min, final int max)
    {
        final String range = "between " + min + " and " + max;
        return new AllowedValues<>("whole number", "a whole number " + range, range,
            text -> NumberText.isWhole(text) ? Integer.valueOf(text) : null,
            value -> Integer.toString(value), value -> value >= min && value <= max);
    }

    static AllowedValues<Long> numbers(final long min, final long max)
    {
        final boolean any = min == Long.MIN_VALUE && max == Long.MAX_VALUE;
        final String range = max == Long.MAX_VALUE ? "at least " + min : "between " + min + " and " + max;
        return new AllowedValues<>("whole number", any ? "a whole number of 64 bits" : "a whole number " + range, range,
            text -> NumberText.isWhole(text) ? Long.valueOf(text) : null, value -> Long.toString(value),
            value -> value >= min && value <= max);
    }

    private static Double real(final String text)
    {
        return NumberText.isNumber(text) ? Double.valueOf(text) : null;
    }

    private static String text(final double bound)
    {
        return bound == Math.rint(bound) && Math.abs(bound) < 1.0E9 ? Long.toString((long)bound) : DoubleText.of(bound);
    }

    /** Those whole numbers that are powers of two. */
    AllowedValues<T> powersOfTwo()
    {
        final String range = "a power of two " + bounds;
        return new AllowedValues<>(type, range, range, parser, printer,
            value -> test.test(value) && Long.bitCount(((Number)value).longValue()) == 1);
    }

    AllowedValues<Optional<T>> orAbsent(final String absent)
    {
        return new AllowedValues<>(type, words + ", or " + absent, bounds,
            text -> text.equals(absent) ? Optional.empty() : present(parser.apply(text)),
            value -> value.map(printer).orElse(absent), value -> value.isEmpty() || test.test(value.get()));
    }

    /** A text that is no value is not an absent one. */
    private static <T> Optional<T> present(final T value)
    {
        return value == null ? null : Optional.of(value);
    }

    /** Lists of at least one, in which no value is repeated; the text of a value has no comma. */
    AllowedValues<List<T>> lists()
    {
        final String several = "one or several different values, each " + words;
        return of("list of " + type + "s", several,
            text -> Stream.of(text.split(SEPARATOR, -1)).map(parser).toList(),
            values -> values.stream().map(printer).collect(Collectors.joining(SEPARATOR)),
            values -> !values.isEmpty() && values.stream().allMatch(value -> value != null && test.test(value)) &&
                values.stream().distinct().count() == values.size());
    }
}
