// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/** Spoilt journals: sealed, of several segments, killed between two groups, killed within one, and recovered. */
final class JournalCases implements CaseSource
{
    private static final List<List<String>> COMMANDS = List.of(
        List.of("replay", "{journal}", "--verify", "--json"),
        List.of("replay", "{journal}", "--verify", "--json"),
        List.of("replay", "{journal}", "--recover", "--verify", "--json"),
        List.of("replay", "{journal}", "--recover", "--json"),
        List.of("replay", "{journal}"),
        List.of("inspect", "{journal}", "--request=2"),
        List.of("inspect", "{journal}", "--request=2", "--json"));

    /** Most read what verification would refuse. */
    private static final List<List<String>> QUESTIONS = List.of(
        List.of("inspect", "{journal}"),
        List.of("inspect", "{journal}", "--json"),
        List.of("inspect", "{journal}", "--requests"),
        List.of("inspect", "{journal}", "--requests", "--slowest=3", "--json"),
        List.of("inspect", "{journal}", "--events", "--csv"),
        List.of("inspect", "{journal}", "--events", "--rank=1", "--limit=5"),
        List.of("inspect", "{journal}", "--request=2", "--steps"),
        List.of("inspect", "{journal}", "--request=2", "--blocks", "--json"),
        List.of("inspect", "{journal}", "--block=0:3"),
        List.of("inspect", "{journal}", "--rank=0"),
        List.of("inspect", "{journal}", "--experts"),
        List.of("inspect", "{journal}", "--expert=3"),
        List.of("inspect", "{journal}", "--moment=20"),
        List.of("inspect", "{journal}", "--accepted-drafts"),
        List.of("trace", "{journal}", "--out={dir}/new"),
        List.of("timeline", "{journal}", "--out={dir}/new"),
        List.of("experts", "{journal}", "--all", "--out={dir}/new"),
        List.of("redact", "{journal}", "{dir}/new"),
        List.of("snapshot", "{journal}"),
        List.of("whatif", "{journal}"),
        List.of("whatif", "{journal}", "--router=round-robin", "--json"),
        List.of("diff", "{journal}", "{other}"),
        List.of("diff", "{journal}", "{other}", "--json"),
        List.of("doctor", "{journal}"));

    private final List<JournalTruth> bases = new ArrayList<>();
    private final JournalTruth other;

    JournalCases(final Path directory, final Target target) throws IOException
    {
        Files.createDirectories(directory);
        final Path sealed = directory.resolve("sealed");
        Fixtures.journal(sealed, 1, 4, "conversation");
        final Path several = directory.resolve("several");
        Fixtures.journal(several, 2, 90, "signalbox");
        final Path foreign = directory.resolve("foreign");
        Fixtures.journal(foreign, 3, 90, "kv-aware");
        if (SlowJournal.segments(several).size() < 3)
        {
            throw new IllegalStateException("the journal of several segments has " + SlowJournal.segments(several));
        }
        other = JournalTruth.of(foreign);
        bases.add(JournalTruth.of(sealed));
        bases.add(JournalTruth.of(several));
        bases.add(JournalTruth.of(killed(several, directory.resolve("killed"), 0)));
        bases.add(JournalTruth.of(killed(sealed, directory.resolve("torn"), 40)));
        bases.add(JournalTruth.of(recovered(directory.resolve("torn"), directory.resolve("recovered"), target)));
    }

    /** A copy that its writer did not seal; so many bytes are left of its last group. */
    private static Path killed(final Path from, final Path to, final int tornBytes) throws IOException
    {
        FileTrees.copy(from, to);
        final List<Path> segments = SlowJournal.segments(to);
        final Path file = JournalChange.dataFile(segments.get(segments.size() - 1));
        final byte[] bytes = Files.readAllBytes(file);
        final List<SlowJournal.Whole> records = SlowJournal.recordsOf(file, bytes);
        final SlowJournal.Whole last = records.get(records.size() - (tornBytes == 0 ? 1 : 2));
        Arrays.fill(bytes, last.at() - 4 + tornBytes, bytes.length, (byte)0);
        if (tornBytes > 0)
        {
            // The header says that the document is unfinished.
            bytes[last.at() - 1] |= (byte)0x80;
        }
        Files.write(file, bytes);
        return to;
    }

    private static Path recovered(final Path from, final Path to, final Target target) throws IOException
    {
        FileTrees.copy(from, to);
        final Outcome outcome = target.run(List.of("replay", to.toString(), "--recover", "--verify"));
        if (outcome.exitCode() != 0)
        {
            throw new IllegalStateException("the fixture was not recovered: " + outcome);
        }
        return to;
    }

    @Override
    public JournalCase next(final RandomGenerator random)
    {
        final JournalTruth base = Values.pick(bases, random);
        final boolean forged = random.nextInt(4) == 0;
        final List<String> words = Values.pick(random.nextBoolean() ? COMMANDS : QUESTIONS, random);
        return new JournalCase(words, forged ? bases.get(0) : base, other,
            forged ? List.of() : seeds(random.nextInt(10) == 0 ? 0 : 1 + random.nextInt(3), random),
            forged ? seeds(1 + random.nextInt(2), random) : List.of());
    }

    private static List<Long> seeds(final int count, final RandomGenerator random)
    {
        return random.longs(count).boxed().toList();
    }
}
