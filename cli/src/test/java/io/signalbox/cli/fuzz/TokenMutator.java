// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Changes a text token by token: it mostly stays JSON, or YAML, and means something else. */
final class TokenMutator
{
    private static final Pattern TOKEN = Pattern.compile(
        "\"(?:[^\"\\\\\\n]|\\\\.)*+\"|-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|\\w+|\\s+|.", Pattern.DOTALL);
    private static final Pattern NUMBER = Pattern.compile("-?\\d.*");
    private static final List<String> NUMBERS = List.of(
        "0", "-1", "-0", "1", "2", "3", "513", "0.5", "1e9", "1e308", "1e400", "-1e400", "1E-400", "999999999", "1e18",
        "1000000000",
        "2147483647", "2147483648", "9223372036854775807", "9223372036854775808", "18446744073709551616",
        "-9223372036854775808",
        "9007199254740993", "9223372036854", "4611686018427", "0.1e1", "1e1", "01", "1.", ".5", "+1", "0x10", "1_000", "NaN",
        "Infinity", "1e", "--1", "1e999999999", "1e-999999999", "0.0000000001", "\"1\"", "\u0663", "1" + "0".repeat(999),
        "9".repeat(1_001), "1" + "0".repeat(5_000), "0." + "1".repeat(2_000));
    private static final List<String> OTHERS = List.of(
        "null", "true", "false", "[]", "{}", "\"\"", "\"x\"", "\"\\u0000\"", "\"\\ud800\"", "\"\\u001b[31m\"", "[[[]]]",
        "[1]", "{\"a\":1}",
        "\"" + "s".repeat(60_000) + "\"", "[".repeat(500) + "]".repeat(500), "[".repeat(1_200) + "]".repeat(1_200),
        "{\"a\":".repeat(1_200) + "1" + "}".repeat(1_200), "[".repeat(100_000), "!!int abc", "!!float abc",
        "!!binary \"$$$\"",
        "!!some.Type [x]", "!!set {a, b}", "!!timestamp 2001-99-99", "&a [*a]", "*a", "? x", "<<: {a: 1}", "0o17", ".inf",
        ".nan",
        "2001-01-01", "~", "yes", "on", "|\n  text", ">-", "%YAML 1.1", "---", "...", "!!null ''", "!!omap [a: 1]",
        "!!pairs []", "0b1", "1:30");
    private static final List<String> NAMES = List.of(
        "\"timestamp\"", "\"hash_ids\"", "\"requests\"", "\"type\"", "\"subagent\"", "\"t\"", "\"think_time\"", "\"in\"",
        "\"out\"",
        "\"duration_ms\"", "\"api_time\"", "\"n\"", "\"block_size\"", "\"input_length\"", "\"output_length\"",
        "\"" + "f".repeat(50_001) + "\"", "\"t\\u0069mestamp\"", "attention_dp_config", "kv_cache_routing_max_sessions");

    private TokenMutator()
    {
    }

    static String mutate(final String text, final RandomGenerator random)
    {
        final List<String> tokens = new ArrayList<>(TOKEN.matcher(text).results().map(match -> match.group()).toList());
        if (tokens.isEmpty())
        {
            return pick(OTHERS, random);
        }
        change(tokens, random);
        return String.join("", tokens);
    }

    private static void change(final List<String> tokens, final RandomGenerator random)
    {
        final int at = random.nextInt(tokens.size());
        final int other = random.nextInt(tokens.size());
        switch (random.nextInt(10))
        {
            case 0, 1, 2 -> tokens.set(number(tokens, at, random), pick(NUMBERS, random));
            case 3 -> tokens.set(at, pick(OTHERS, random));
            case 4 -> tokens.set(at, pick(NAMES, random));
            case 5 -> tokens.remove(at);
            case 6 -> tokens.add(at, tokens.get(other));
            case 7 -> swap(tokens, at, other);
            case 8 -> tokens.addAll(at, List.copyOf(tokens.subList(
                Math.min(at, other), Math.min(tokens.size(), Math.min(at, other) + 1 + random.nextInt(40)))));
            default -> tokens.set(at, "[" + tokens.get(at) + "]");
        }
    }

    /** A token that is a number; the given one if there is none. */
    private static int number(final List<String> tokens, final int at, final RandomGenerator random)
    {
        final int[] numbers = IntStream.range(0, tokens.size())
            .filter(i -> NUMBER.matcher(tokens.get(i)).matches()).toArray();
        return numbers.length == 0 ? at : numbers[random.nextInt(numbers.length)];
    }

    private static void swap(final List<String> tokens, final int first, final int second)
    {
        final String held = tokens.get(first);
        tokens.set(first, tokens.get(second));
        tokens.set(second, held);
    }

    private static String pick(final List<String> from, final RandomGenerator random)
    {
        return from.get(random.nextInt(from.size()));
    }
}
