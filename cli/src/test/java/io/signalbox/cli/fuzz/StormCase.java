// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** A command on a journal's directory that a {@link Storm} changes meanwhile. */
final class StormCase implements FuzzCase
{
    private static final Set<Integer> EXIT_CODES = Set.of(0, 1, 2);

    private final List<String> words;
    /** A journal to begin with; null: an empty directory. */
    private final Path journal;
    private final boolean rough;
    private final long seed;
    private Storm storm;
    private List<String> seen = List.of();

    StormCase(final List<String> words, final Path journal, final boolean rough, final long seed)
    {
        this.words = words;
        this.journal = journal;
        this.rough = rough;
        this.seed = seed;
    }

    /** The storm's own files are no canaries: it begins once the files of the case have been counted. */
    @Override
    public void prepare(final Path directory) throws IOException
    {
        final Path changing = directory.resolve("journal");
        if (journal == null)
        {
            Files.createDirectories(changing);
        }
        else
        {
            FileTrees.copy(journal, changing);
        }
        storm = new Storm(changing, rough, seed);
    }

    @Override
    public void begin()
    {
        storm.start();
    }

    @Override
    public void conclude()
    {
        seen = storm.stop();
    }

    @Override
    public List<String> arguments(final Path directory)
    {
        return words.stream().map(word -> word.replace("{journal}", directory.resolve("journal").toString())).toList();
    }

    @Override
    public Set<Integer> exitCodes()
    {
        return EXIT_CODES;
    }

    /** A storm that touches no file of the journal does not change what the journal says. */
    @Override
    public List<String> check(final Path directory, final Outcome outcome, final Target target)
    {
        return !rough && outcome.exitCode() == 1
            ? List.of("storm: files beside the journal failed its check: " + outcome.err()) : seen;
    }

    /** The storm's lock and segments are not the command's to keep as they were. */
    @Override
    public boolean keepsFiles()
    {
        return !rough;
    }

    @Override
    public String story()
    {
        return "with a " + (rough ? "rough" : "gentle") + " storm of seed " + seed;
    }

    @Override
    public String toString()
    {
        return words + ", " + story();
    }
}
