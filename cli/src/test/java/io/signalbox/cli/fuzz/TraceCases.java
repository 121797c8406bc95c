// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Spoilt trace files, plain and gzipped, for the commands that read them. */
final class TraceCases implements CaseSource
{
    private static final List<String> SMALL = List.of("--ranks=2", "--kv-blocks=3000");
    private static final Pattern COUNT =
        Pattern.compile("\"(submitted|neverAsked|leftOut|completed|outputTokens)\" : (-?\\d+)");

    @Override
    public FileCase next(final RandomGenerator random) throws IOException
    {
        final boolean agents = random.nextInt(2) == 0;
        final String base = agents ? Fixtures.PLAYS : Fixtures.TRACE;
        final String other =
            Values.pick(List.of(Fixtures.ROUTER, Fixtures.PLAYS, Fixtures.PLAYS, Fixtures.TRACE, Fixtures.TRACE), random);
        final boolean gzipped = random.nextInt(3) == 0;
        final long packing = random.nextLong();
        final int changes = random.nextInt(4);
        final List<Long> tokenSeeds = new ArrayList<>();
        final List<Long> byteSeeds = new ArrayList<>();
        for (int i = 0; i < changes; i++)
        {
            // Almost any changed byte of gzip data is damage; changes of its content reach further.
            final boolean tokens = gzipped ? random.nextInt(4) > 0 : random.nextInt(3) > 0;
            (tokens ? tokenSeeds : byteSeeds).add(random.nextLong());
        }
        final byte[] bytes = other.getBytes(StandardCharsets.UTF_8);
        return new FileCase(words(agents, random), gzipped ? "trace.jsonl.gz" : "trace.jsonl",
            base.getBytes(StandardCharsets.UTF_8), gzipped ? GzipFile.of(bytes) : bytes, tokenSeeds,
            gzipped ? content -> GzipFile.several(content, new SplittableRandom(packing)) : content -> content,
            byteSeeds, TraceCases::complaints);
    }

    /** A file as it is. */
    static FileCase of(final List<String> words, final byte[] file)
    {
        return new FileCase(words, "trace", file, file, List.of(), content -> content, List.of(), TraceCases::complaints);
    }

    private static List<String> words(final boolean agents, final RandomGenerator random)
    {
        final List<String> words = new ArrayList<>();
        switch (random.nextInt(8))
        {
            case 0 -> words.addAll(List.of("compare", "--workloads={file}", "--router=kv-aware,default", "--seeds=1",
                "--workers=1"));
            case 1 -> words.addAll(List.of("simulate", "--arrivals=replayed:{file}", "--conversations=2", "--limit=2",
                "--user-tokens=fixed:20", "--output-tokens=fixed:4", "--no-journal"));
            default ->
            {
                words.addAll(List.of("simulate", "--trace={file}", "--json"));
                words.addAll(random.nextInt(6) == 0 ? List.of("--journal", "{dir}/journal") : List.of("--no-journal"));
                words.add(Values.pick(List.of("--block-size=16", "--block-size=512", "--lock-step", "--no-capture",
                    "--router=kv-aware", "--router=conversation"), random));
                if (agents && random.nextInt(3) == 0)
                {
                    words.add(Values.pick(List.of("--plays=1", "--separate-plays", "--stagger=1000000",
                        "--max-think-time=1", "--max-think-time=1000000"), random));
                }
            }
        }
        words.addAll(SMALL);
        return words;
    }

    /** A trace that is accepted was read to its end, and as it is. */
    private static List<String> complaints(final byte[] file, final Outcome outcome)
    {
        if (outcome.exitCode() != 0 || !outcome.out().startsWith("{"))
        {
            return List.of();
        }
        try
        {
            final SlowTrace truth = SlowTrace.of(file);
            final long requests = count(outcome, "submitted") + count(outcome, "neverAsked") + count(outcome, "leftOut");
            if (requests != truth.requests())
            {
                return List.of("trace: " + requests + " requests were read, and the file holds " + truth.requests());
            }
            final long completed = count(outcome, "completed");
            if (completed == requests && count(outcome, "outputTokens") != truth.outputTokens())
            {
                return List.of("trace: " + count(outcome, "outputTokens") + " tokens were made, and the file asks for " +
                    truth.outputTokens());
            }
            return List.of();
        }
        catch (final SlowTrace.Unreadable e)
        {
            return List.of("trace: it was accepted with " + count(outcome, "submitted") + " requests, and " +
                e.getMessage());
        }
    }

    private static long count(final Outcome outcome, final String name)
    {
        final Matcher matcher = COUNT.matcher(outcome.out());
        while (matcher.find())
        {
            if (matcher.group(1).equals(name))
            {
                return Long.parseLong(matcher.group(2));
            }
        }
        throw new IllegalStateException("the report has no " + name + ": " + outcome.out());
    }
}
