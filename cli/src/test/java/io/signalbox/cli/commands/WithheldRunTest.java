// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.event.CompletionView;
import io.signalbox.event.EventReader;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.journal.JournalReader;
import org.agrona.collections.LongHashSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Runs of the command line that journal no tokens. */
class WithheldRunTest
{
    private static final String HASHES = "--journal-tokens=hashes";
    private static final String[] WORKLOAD = {"simulate", "--conversations", "4", "--ranks", "2", "--no-verify"};
    /** Three such tokens in a row are 12 bytes that nothing else makes. */
    private static final String CANARY = "[211,7,193,211,88,7,199,3,211,5,240,9,211,6,121,17,211,99]";

    @TempDir
    private Path directory;
    private Path key;

    @BeforeEach
    void makeKey() throws IOException
    {
        key = Files.write(directory.resolve("key"), new byte[32]);
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    }

    private Path journal(final String name, final String[] command, final String... options)
    {
        final List<String> arguments = new ArrayList<>(List.of(command));
        arguments.addAll(List.of(options));
        arguments.addAll(List.of("--journal", directory.resolve(name).toString()));
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return directory.resolve(name);
    }

    private String refused(final String... command)
    {
        final CommandRun run = CommandRun.of(command);
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        assertEquals(1, run.err().lines().count(), run.err());
        return run.err();
    }

    /**
     * The parts of a journal that reveal texts: block hashes, the first two of every three successive tokens of a prompt,
     * and two successive stop tokens.
     */
    private static final class Texts extends EventReader
    {
        private final LongHashSet hashes = new LongHashSet(0);
        private final LongHashSet pairs = new LongHashSet(0);
        private int mostToken;

        @Override
        protected void onSubmit(final SubmitDecoder submit)
        {
            final ByteBuffer given = ByteBuffer.allocate(submit.blockHashesLength()).order(ByteOrder.LITTLE_ENDIAN);
            submit.getBlockHashes(given.array(), 0, given.capacity());
            while (given.hasRemaining())
            {
                hashes.add(given.getLong());
            }
            submit.skipCacheKey();
            final ByteBuffer tokens = ByteBuffer.allocate(submit.tokensLength()).order(ByteOrder.LITTLE_ENDIAN);
            submit.getTokens(tokens.array(), 0, tokens.capacity());
            for (int at = 0; at + 3 * Integer.BYTES <= tokens.capacity(); at += Integer.BYTES)
            {
                pairs.add(tokens.getLong(at));
            }
            submit.skipHashChain();
            final ByteBuffer stops = ByteBuffer.allocate(submit.stopTokensLength()).order(ByteOrder.LITTLE_ENDIAN);
            submit.getStopTokens(stops.array(), 0, stops.capacity());
            for (int at = 0; at + 2 * Integer.BYTES <= stops.capacity(); at += Integer.BYTES)
            {
                pairs.add(stops.getLong(at));
            }
        }

        @Override
        protected void onD2hComplete(final CompletionView completion)
        {
            for (int i = 0; i < completion.tokenCount(); i++)
            {
                mostToken = Math.max(mostToken, completion.token(i));
            }
        }

        private static Texts of(final Path journal)
        {
            final Texts texts = new Texts();
            try (JournalReader reader = JournalReader.open(journal))
            {
                while (reader.next())
                {
                    texts.readGroup(reader.group(), 0, reader.groupLength());
                }
            }
            return texts;
        }
    }

    /** How many places of all files have eight bytes of a set. */
    private static int places(final Path journal, final LongHashSet wanted) throws IOException
    {
        int places = 0;
        try (Stream<Path> files = Files.walk(journal))
        {
            for (final Path file : files.filter(Files::isRegularFile).toList())
            {
                final ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
                for (int at = 0; at + Long.BYTES <= bytes.capacity(); at++)
                {
                    places += wanted.contains(bytes.getLong(at)) ? 1 : 0;
                }
            }
        }
        return places;
    }

    @Test
    void shouldSimulateWithoutATokenOrABlockHashInAnyByte() throws IOException
    {
        final Path with = journal("with", WORKLOAD);
        final Path without = journal("without", WORKLOAD, HASHES, "--journal-key", key.toString());
        final Texts texts = Texts.of(with);
        assertTrue(texts.hashes.size() > 100 && texts.pairs.size() > 10, texts.hashes.size() + ", " + texts.pairs.size());

        assertTrue(places(with, texts.hashes) >= texts.hashes.size());
        assertTrue(places(with, texts.pairs) >= texts.pairs.size());
        assertEquals(0, places(without, texts.hashes));
        assertEquals(0, places(without, texts.pairs));
        assertTrue(texts.mostToken > 1);
        assertEquals(1, Texts.of(without).mostToken);
    }

    @Test
    void shouldKeepAPromptOutOfTheJournalOfARun() throws IOException
    {
        final Path prompts = directory.resolve("prompts.jsonl");
        Files.writeString(prompts, "{\"id\":\"a\",\"prompt\":" + CANARY + ",\"max_new_tokens\":4," +
            "\"stop_token\":[171,113,77]}\n");
        final String[] command = {"run", "--prompts", prompts.toString()};
        final Path with = journal("with", command);
        final Path without = journal("without", command, HASHES, "--journal-key", key.toString());
        final Texts texts = Texts.of(with);
        assertEquals(18, texts.pairs.size());

        assertTrue(places(with, texts.pairs) >= 18);
        assertEquals(0, places(without, texts.pairs));
        assertEquals(0, places(without, texts.hashes));
        assertTrue(refused("replay", without.toString(), "--recompute").contains("of which the journal has 0"));
    }

    /** Settings differ in any case; everything that a journal without tokens has is compared. */
    @Test
    void shouldBeComparedWithAJournalThatHasTokens()
    {
        final Path with = journal("with", WORKLOAD);
        final String[] diff = {"diff", with.toString(), journal("without", WORKLOAD, HASHES, "--journal-key",
            key.toString()).toString()};
        final CommandRun equal = CommandRun.of(diff);
        assertEquals(ExitCode.CHECK_FAILED, equal.exitCode(), equal.err());
        assertTrue(equal.out().contains("* journal.tokens    none  hashes"), equal.out());
        assertTrue(equal.out().contains("groups are equal in what is compared"), equal.out());
        assertFalse(equal.out().contains("another prompt"), equal.out());
        final CommandRun other = CommandRun.of("diff", with.toString(), journal("other", WORKLOAD, HASHES,
            "--journal-key", key.toString(), "--router", "round-robin").toString());
        assertTrue(other.out().contains("first difference  message 1 of the group"), other.out());
        assertTrue(other.out().contains("* rank "), other.out());
    }

    @Test
    void shouldRefuseAKeyThatIsMissingOrIdleOrWithTheJournal() throws IOException
    {
        final String path = directory.resolve("new").toString();
        assertTrue(refused("simulate", HASHES, "--journal", path).contains(HASHES + " needs a key; give its file with"));
        assertTrue(refused("simulate", "--journal-key", key.toString(), "--journal", path)
            .contains("is for --journal-tokens=hashes, which is not given"));
        assertTrue(refused("simulate", HASHES, "--journal-key", key.toString(), "--no-journal")
            .contains("--journal-tokens concerns the journal, and --no-journal writes none"));
        assertTrue(refused("run", HASHES, "--journal-key", key.toString(), "--no-journal")
            .contains("concerns the journal, and --no-journal writes none"));
        assertTrue(refused("simulate", HASHES, "--journal-key", key.toString(), "--journal", directory.toString())
            .contains("has the input of --journal-key=" + key + " in it; give a place outside it"));
        assertFalse(Files.exists(directory.resolve("new")));
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r-----"));
        assertTrue(refused("run", HASHES, "--journal-key", key.toString(), "--journal", path)
            .contains("so it is no secret"));
    }

    @Test
    void shouldRefuseToRedactIntoItselfThroughALink() throws IOException
    {
        final Path with = journal("with", WORKLOAD);
        final Path link = Files.createSymbolicLink(directory.resolve("link"), with);
        assertTrue(refused("redact", with.toString(), link.resolve("new").toString(), "--journal-key", key.toString())
            .contains("is in the directory of a journal"));
    }
}
