// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import picocli.CommandLine.Model.ArgSpec;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Values for an option by its type and label: good, at a bound, malformed. {@code {dir}} in a value is the case's
 * directory. No good whole number is far above 64, so that every case that is accepted is small.
 */
final class Values
{
    private static final List<String> WHOLE = List.of(
        "-1", "0", "1", "2", "3", "4", "7", "8", "16", "17", "64", "-0", "007", "+5",
        "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967296", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "1000000000000000000000000000000");
    private static final List<String> NO_WHOLE = List.of(
        "", " ", "1.5", "1e3", "0x10", "\u0663", "\uff15", "1_000", " 5", "5 ", "1,000", "NaN", "ten", "5L", "1 2", "--5",
        "\u22125", "5\u0000", "\u0000", "\ud800", "five\nsix", "%s%n", "${x}", "null", "true");
    private static final List<String> REAL = List.of(
        "0", "1", "0.5", "-1", "-0.0", "1e-300", "1e-320", "1e6", "1000001", "1e300", "1e400", "-1e400", "1e18", ".5", "5.",
        "0.1", "2", "3.25", "1e9", "1e12", "0.999999999999999999999", "4.9e-324", "1E5");
    private static final List<String> NO_REAL = List.of(
        "", " ", "NaN", "Infinity", "-Infinity", "0x1p3", "5f", "5d", "5D", "\u0663", "\uff15.\uff15", "1,5", "1 e3", "e5",
        "--1", "1_0", "inf", "1e", "\u221e", "1.5.5", "\ud800", "half");
    private static final List<String> PATHS = List.of(
        "{dir}/foreign", "{dir}/foreign/notes.txt", "{dir}/foreign/link", "{dir}/empty", "{dir}/journal",
        "{dir}/small.jsonl",
        "{dir}/plays.jsonl", "{dir}/small.jsonl.gz", "{dir}/router.yaml", "{dir}/none",
        "{dir}/none/deep/er", "{dir}/new", "{dir}/\u00fcn\u00efc\u00f6d\u00e9 \u65e5\u672c", "{dir}/with\nnewline",
        "{dir}/x\u0000y",
        "", " ", ".", "..", "~", "-", "a.out", "runs", "{dir}/./../case/empty", "{dir}/foreign/notes.txt/below",
        "{dir}/empty/", "{dir}//empty//x", "{dir}/tab\there", "{dir}/\ud800", "{dir}/*", "{dir}/$HOME", "file:///x",
        "{dir}/" + "n".repeat(300), "{dir}/" + "d/".repeat(3000), "{dir}/-x", "{dir}/journal/segment-00000",
        "{dir}/journal/lock", "{dir}/empty/a/b/c", "@{dir}/small.jsonl");
    private static final List<String> GOOD_REAL = List.of("0.5", "1", "2", "3.25", "0.001", "1e3");
    private static final List<String> GOOD_PATHS = List.of(
        "{dir}/new.file", "{dir}/empty", "{dir}/small.jsonl", "{dir}/plays.jsonl", "{dir}/router.yaml");
    private static final List<String> TEXTS = List.of(
        "", " ", "x", "\u00fcn\u00ef", "\ud83d\ude80", "\ud800", "\u0000", "a\nb", "%s%n%d", "${sys:user.home}", "'", "\"",
        "=",
        ",", ",,", ":", ";", "-", "--", "null", "true", "\u202egnp", "l".repeat(20_000), "\u001b[31m", "a\tb", "\\", "@x");
    /** Good values of options whose label says more than their type. */
    private static final Map<String, List<String>> LABELLED = Map.ofEntries(
        Map.entry("KIND", List.of("poisson:8", "bursty:2,3", "replayed:{dir}/small.jsonl", "poisson:0.001",
            "replayed:{dir}/none")),
        Map.entry("SIZES", List.of("fixed:3", "lognormal:4,0.7,1,32", "zipf:1.2,1,40", "fixed:1", "lognormal:4,0,4,4")),
        Map.entry("NAME=VALUE", List.of("backlog=1", "reuseWeight=2,backlog=65536", "beta=0.5", "coldStartWarmup=true",
            "x=1", "beta=")),
        Map.entry("LIST", List.of("skewed,bursty", "closed-loop", "{dir}/small.jsonl", "{dir}/plays.jsonl",
            "conversations")),
        Map.entry("NAME", List.of("skewed", "bursty", "closed-loop", "conversations", "routers", "steps,overhead",
            "SKEWED")),
        Map.entry("POLICY", List.of("lru", "ref-zero", "signalbox", "default", "kv-aware", "conversation", "LRU")),
        Map.entry("POLICIES", List.of("all", "default", "kv-aware,default", "conversation,lmetric", "default,default")),
        Map.entry("PLAN", List.of("rank 1 step 2 lost back-after 1ms", "seed=7,late=0.1",
            "rank * step 3.. late 5us; rank 0 step 1 failed x", "rank 0..1 step 2..9 corrupt token-range",
            "dropped=0.01,step-timeout=1s", "{dir}/router.yaml")),
        Map.entry("LEVEL", List.of("process", "batch", "record", "RECORD")),
        Map.entry("MOMENT", List.of("0.01", "record:100", "5", "record:x", "10:04")),
        Map.entry("RANK:BLOCK", List.of("0:3", "1:17", "9:0", "0:999999", "0")));
    private static final Set<String> PATH_LABELS = Set.of("FILE", "DIR", "JOURNAL", "PATH");
    private static final Pattern WHOLE_FORM = Pattern.compile("[+-]?[0-9]+");
    private static final Pattern REAL_FORM = Pattern.compile("[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?");

    private final Function<String, long[]> bounds;

    /** @param bounds the range of an option, by its command and longest name, as refusals state it; else {@code null}. */
    Values(final Function<String, long[]> bounds)
    {
        this.bounds = bounds;
    }

    /** A value that is good by itself, though perhaps not beside the others. */
    String good(final ArgSpec option, final RandomGenerator random)
    {
        if (isWhole(option))
        {
            return Integer.toString(1 << random.nextInt(7));
        }
        if (isReal(option))
        {
            return pick(GOOD_REAL, random);
        }
        if (isPath(option))
        {
            return pick(GOOD_PATHS, random);
        }
        final List<String> known = known(option);
        return known.isEmpty() ? "x" : pick(known, random);
    }

    /** Any value, good or not. */
    String value(final ArgSpec option, final String name, final RandomGenerator random)
    {
        final int kind = random.nextInt(10);
        if (kind == 0)
        {
            return pick(TEXTS, random);
        }
        if (isWhole(option))
        {
            return kind < 3 ? pick(NO_WHOLE, random) : kind < 6 ? atBound(name, random) : pick(WHOLE, random);
        }
        if (isReal(option))
        {
            return kind < 3 ? pick(NO_REAL, random) : pick(REAL, random);
        }
        return kind < 9 ? list(option, random) : pick(PATHS, random);
    }

    /** Lists get several items at times. */
    private String list(final ArgSpec option, final RandomGenerator random)
    {
        final String first = text(option, random);
        return option.splitRegex().isEmpty() || random.nextInt(3) > 0 ? first : first + "," + text(option, random);
    }

    private String text(final ArgSpec option, final RandomGenerator random)
    {
        if (isPath(option))
        {
            return pick(PATHS, random);
        }
        final List<String> known = known(option);
        if (known.isEmpty())
        {
            return pick(TEXTS, random);
        }
        final String value = pick(known, random);
        return random.nextInt(3) > 0 ? value : distorted(value, random);
    }

    private static List<String> known(final ArgSpec option)
    {
        final List<String> known = new ArrayList<>(LABELLED.getOrDefault(option.paramLabel(), List.of()));
        if (option.completionCandidates() != null)
        {
            option.completionCandidates().forEach(known::add);
        }
        return known;
    }

    /** Another number, a cut or a doubled end, another case. */
    private static String distorted(final String value, final RandomGenerator random)
    {
        switch (random.nextInt(5))
        {
            case 0:
                return value.replaceFirst("\\d+(\\.\\d+)?", pickQuoted(random.nextBoolean() ? WHOLE : REAL, random));
            case 1:
                return value.replaceFirst("(\\d+(?:\\.\\d+)?)(?!.*\\d)",
                    pickQuoted(random.nextBoolean() ? NO_REAL : REAL, random));
            case 2:
                return value.substring(0, random.nextInt(value.length() + 1));
            case 3:
                return value + value.substring(random.nextInt(value.length()));
            default:
                return value.toUpperCase(Locale.ROOT);
        }
    }

    private static String pickQuoted(final List<String> values, final RandomGenerator random)
    {
        return Matcher.quoteReplacement(pick(values, random));
    }

    private String atBound(final String name, final RandomGenerator random)
    {
        final long[] range = bounds.apply(name);
        if (range == null)
        {
            return pick(WHOLE, random);
        }
        final long most = range[1] > 1024 ? range[1] + 1 : range[1];
        final long[] near = {range[0] - 1, range[0], range[0] + 1, most, range[1] + 1, -range[1]};
        return Long.toString(near[random.nextInt(near.length)]);
    }

    /** Whether a number option must refuse this value: digits are ASCII digits, and there is no form of Java's own. */
    static boolean isMalformedNumber(final ArgSpec option, final String value)
    {
        return isWhole(option) && !WHOLE_FORM.matcher(value).matches() ||
            isReal(option) && !REAL_FORM.matcher(value).matches();
    }

    static boolean isWhole(final ArgSpec option)
    {
        final Class<?> type = option.auxiliaryTypes()[0];
        return type == int.class || type == Integer.class || type == long.class || type == Long.class;
    }

    private static boolean isReal(final ArgSpec option)
    {
        final Class<?> type = option.auxiliaryTypes()[0];
        return type == double.class || type == Double.class;
    }

    static boolean isPath(final ArgSpec option)
    {
        return option.auxiliaryTypes()[0] == Path.class || PATH_LABELS.contains(option.paramLabel());
    }

    static boolean isFlag(final ArgSpec option)
    {
        return option.auxiliaryTypes()[0] == boolean.class || option.auxiliaryTypes()[0] == Boolean.class;
    }

    static <T> T pick(final List<T> from, final RandomGenerator random)
    {
        return from.get(random.nextInt(from.size()));
    }
}
