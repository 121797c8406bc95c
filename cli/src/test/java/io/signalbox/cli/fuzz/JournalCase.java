// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * A command that reads a spoilt journal.
 *
 * @param words       the command line; {@code {journal}} is the journal, {@code {other}} a copy of {@code base},
 *                    {@code {dir}} the case's directory.
 * @param base        the good journal, and what is known of it.
 * @param other       a good journal of another run.
 * @param changeSeeds changes of the files, in their order.
 * @param forgeSeeds  changes that fit, after those.
 */
record JournalCase(
    List<String> words, JournalTruth base, JournalTruth other, List<Long> changeSeeds, List<Long> forgeSeeds)
    implements FuzzCase
{
    private static final Set<Integer> EXIT_CODES = Set.of(0, 1, 2);
    /** The command and its journal, which every case keeps. */
    private static final int COMMAND = 2;

    private List<String> change(final Path directory) throws IOException
    {
        final List<String> done = new ArrayList<>();
        for (final long seed : changeSeeds)
        {
            done.add(JournalChange.apply(directory.resolve("journal"), other.journal(), new SplittableRandom(seed)));
        }
        for (final long seed : forgeSeeds)
        {
            done.add(JournalForge.apply(directory.resolve("journal"), new SplittableRandom(seed)));
        }
        return done;
    }

    @Override
    public void prepare(final Path directory) throws IOException
    {
        FileTrees.copy(base.journal(), directory.resolve("journal"));
        if (words.contains("{other}"))
        {
            FileTrees.copy(base.journal(), directory.resolve("other"));
        }
        final List<String> done = change(directory);
        Files.writeString(directory.resolve("changes.txt"), String.join("\n", done));
    }

    @Override
    public List<String> arguments(final Path directory)
    {
        return words.stream().map(word -> word.replace("{journal}", directory.resolve("journal").toString())
            .replace("{other}", directory.resolve("other").toString()).replace("{dir}", directory.toString())).toList();
    }

    @Override
    public Set<Integer> exitCodes()
    {
        return EXIT_CODES;
    }

    /** A forged journal may be accepted if its decisions are right; of any other, only the original's records. */
    @Override
    public List<String> check(final Path directory, final Outcome outcome, final Target target) throws IOException
    {
        if (outcome.exitCode() != 0 || !forgeSeeds.isEmpty() || !words.get(0).equals("replay"))
        {
            return List.of();
        }
        final Path journal = directory.resolve("journal");
        final List<String> complaints = new ArrayList<>(
            JournalTruth.complaints(outcome.out(), journal, List.of(base, other)));
        // A directory without a record is free for another run after its recovery, and no journal.
        final boolean empty = outcome.out().contains("\"records\" : 0,");
        if (words.contains("--recover") && complaints.isEmpty() && !empty)
        {
            final Outcome again = target.run(List.of("replay", journal.toString(), "--verify", "--json"));
            if (again.exitCode() != 0 || !again.out().contains("\"closed\" : true"))
            {
                complaints.add("recovery: the journal does not verify afterwards: " + again.out() + again.err());
            }
            complaints.addAll(JournalTruth.complaints(again.out(), journal, List.of(base, other)));
        }
        return complaints;
    }

    @Override
    public String story()
    {
        return base.journal().getFileName() + " with " + changeSeeds.size() + " changes and " + forgeSeeds.size() +
            " forgeries, see changes.txt";
    }

    @Override
    public Arbitrary<JournalCase> withFewerParts()
    {
        return Combinators.combine(
                Parts.of(words.subList(COMMAND, words.size())), Parts.of(changeSeeds), Parts.of(forgeSeeds))
            .as((options, changes, forgeries) -> new JournalCase(
                Stream.concat(words.stream().limit(COMMAND), options.stream()).toList(), base, other, changes, forgeries));
    }

    @Override
    public String toString()
    {
        return words + ", " + story();
    }
}
