// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.ConfigException;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.Ending;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.JournalRedaction;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.TokenKey;
import io.signalbox.journal.Verification;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Journals without tokens, of a real engine and made of its journals. */
final class RedactionTest
{
    private static final JournalConfig SMALL = new JournalConfig(Durability.PROCESS, 1 << 16, 1 << 18);
    private static final int[] CANARY = {0x5EC2E701, 0x5EC2E702, 0x5EC2E703, 0x5EC2E704, 0x5EC2E705};
    private static final int REQUESTS = 10;

    @TempDir
    private Path temporary;

    private TokenKey key;

    @BeforeEach
    void makeKey() throws IOException
    {
        key = TokenKey.read("--journal-key", keyFile("key", 1, "rw-------"));
    }

    private Path keyFile(final String name, final int filling, final String permissions) throws IOException
    {
        final byte[] secret = new byte[32];
        Arrays.fill(secret, (byte)filling);
        final Path file = Files.write(temporary.resolve(name), secret);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    private static SteppedEngine engine(
        final DirectoryJournal journal, final SchedulerConfig config, final ContentBackend backend)
    {
        final long[] nanos = new long[1];
        return new SteppedEngine(new EngineConfig().scheduler(config).backend(backend).clock(() -> nanos[0] += 1_000)
            .runJournal(journal));
    }

    /** Prompts with the canary; each conversation continues with the answer of the request before; one stops early. */
    private Path recorded(final String name, final SchedulerConfig config) throws Exception
    {
        final Path journal = temporary.resolve(name);
        record(new DirectoryJournal(journal, SMALL), config, 2);
        return journal;
    }

    private static void record(final DirectoryJournal journal, final SchedulerConfig config, final int engines)
        throws Exception
    {
        int[] history = CANARY;
        for (int part = 0; part < engines; part++)
        {
            final ContentBackend backend = new ContentBackend(2, false);
            try (SteppedEngine engine = engine(journal, config, backend))
            {
                for (int i = 0; i < REQUESTS / 2; i++)
                {
                    final int[] prompt = Arrays.copyOf(history, history.length + 3);
                    final int stop = i == 2 ? ContentModel.generated(new Ask(prompt, 9, 0, 0), 9)[4] : -1;
                    final CompletionRequest request = CompletionRequest.prompt(prompt).maxNewTokens(9).routedExperts(0);
                    final CompletionHandle handle =
                        engine.submit(stop < 0 ? request : request.stopAt(stop, stop + 5, stop + 1));
                    final CompletionHandle beside =
                        i == 1 ? engine.submit(CompletionRequest.prompt(CANARY).maxNewTokens(4)) : null;
                    boolean worked = true;
                    while (worked)
                    {
                        worked = backend.turn();
                    }
                    assertTrue(beside == null || beside.isDone());
                    final int[] answer = handle.tokens();
                    history = Arrays.copyOf(prompt, prompt.length + answer.length);
                    System.arraycopy(answer, 0, history, prompt.length, answer.length);
                    history = history.length > 60 ? CANARY : history;
                }
            }
        }
    }

    private JournalRedaction.Result redact(final Path journal, final String name, final TokenKey with)
    {
        return JournalRedaction.redact(journal, temporary.resolve(name), DpRouters.installed(), with, ReadProgress.NONE);
    }

    private static boolean holds(final Path directory, final int token) throws IOException
    {
        final byte[] wanted = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(token).array();
        try (Stream<Path> files = Files.walk(directory))
        {
            for (final Path file : files.filter(Files::isRegularFile).toList())
            {
                final byte[] bytes = Files.readAllBytes(file);
                for (int i = 0; i + 4 <= bytes.length; i++)
                {
                    if (Arrays.equals(bytes, i, i + 4, wanted, 0, 4))
                    {
                        return true;
                    }
                }
            }
            return false;
        }
    }

    @Test
    void shouldVerifyInItselfWithoutOneByteOfACanary() throws Exception
    {
        final Path journal = recorded("recorded", Incarnation.config(2).build());
        final JournalRedaction.Result result = redact(journal, "redacted", key);
        final Path redacted = temporary.resolve("redacted");

        final Verification verification = JournalVerifier.verify(redacted, Scheduler::new);
        assertTrue(verification.matches(), String.valueOf(verification.difference()));
        assertEquals(result.digest(), verification.digest());
        assertEquals(Ending.CLOSED, verification.ending());
        for (final int token : CANARY)
        {
            assertTrue(holds(journal, token), "the canary must be found where it is");
            assertFalse(holds(redacted, token), "the canary is in the redacted journal");
        }
        try (JournalReader before = JournalReader.open(journal); JournalReader after = JournalReader.open(redacted))
        {
            while (before.next())
            {
                assertTrue(after.next());
                assertEquals(before.timeNanos(), after.timeNanos());
            }
            assertFalse(after.next());
        }
        assertEquals(result.digest(), redact(journal, "again", key).digest());
        final TokenKey other = TokenKey.read("--journal-key", keyFile("other", 2, "rw-------"));
        assertNotEquals(result.digest(), redact(journal, "other-key", other).digest());
    }

    /** An embedded engine that never writes a token keeps the journal that redaction makes of the same run. */
    @Test
    void shouldJournalARunWithoutItsTokens() throws Exception
    {
        final SchedulerConfig config = Incarnation.config(2).build();
        final Path live = temporary.resolve("live");
        final DirectoryJournal withheld = new DirectoryJournal(live, SMALL).withoutTokens(key, DpRouters.installed());
        record(withheld, config, 1);
        record(new DirectoryJournal(temporary.resolve("with"), SMALL), config, 1);

        final Verification verification = JournalVerifier.verify(live, Scheduler::new);
        assertTrue(verification.matches(), String.valueOf(verification.difference()));
        assertEquals(Ending.CLOSED, verification.ending());
        assertEquals(redact(temporary.resolve("with"), "made", key).digest(), verification.digest());
        for (final int token : CANARY)
        {
            assertTrue(holds(temporary.resolve("with"), token), "the canary must be found where it is");
            assertFalse(holds(live, token), "the canary is in the journal");
        }
        assertRefused("cannot be continued: its journal has no tokens", () -> record(withheld, config, 1));
        assertRefused("cannot be continued: its journal has no tokens",
            () -> record(new DirectoryJournal(live, SMALL), config, 1));
        assertRefused("has a journal with tokens, so it cannot be continued without them", () -> record(
            new DirectoryJournal(temporary.resolve("with"), SMALL).withoutTokens(key, DpRouters.installed()), config, 1));
        assertRefused("is in the journal's directory " + temporary,
            () -> new DirectoryJournal(temporary, SMALL).withoutTokens(key, DpRouters.installed()));
    }

    private static void assertRefused(final String reason, final Executable attempt)
    {
        final String message = assertThrows(ConfigException.class, attempt).getMessage();
        assertTrue(message.contains(reason), message);
    }

    /** A copy of the directory would have the key with it, also if a link leads there. */
    @Test
    void shouldRefuseAKeyInADirectoryOfAJournal() throws Exception
    {
        final Path journal = recorded("recorded", Incarnation.config(1).build());
        final TokenKey within = TokenKey.read("--journal-key", keyFile("recorded/key", 4, "rw-------"));
        final Path link = Files.createSymbolicLink(temporary.resolve("link"), journal);
        assertRefused("so a copy of the journal has its key", () -> redact(journal, "redacted", within));
        assertRefused("so a copy of the journal has its key", () -> redact(link, "redacted", within));
        assertFalse(Files.exists(temporary.resolve("redacted")));
    }

    /** Requests that wait together are ordered by their first tokens; ranks with room for few make them wait. */
    @Test
    void shouldDecideAsBeforeWithFewBlocks() throws Exception
    {
        final Path journal = recorded("tight", Incarnation.config(1).kvBlocks(12).maxRunning(1).build());

        assertTrue(redact(journal, "redacted", key).groups() > 50);
        assertTrue(JournalVerifier.verify(temporary.resolve("redacted"), Scheduler::new).matches());
    }

    @Test
    void shouldRefuseWhatNeedsTokens() throws Exception
    {
        final Path journal = recorded("recorded", Incarnation.config(2).build());
        redact(journal, "redacted", key);

        assertTrue(assertThrows(ConfigException.class, () -> redact(temporary.resolve("redacted"), "twice", key))
            .getMessage().contains("has no tokens already"));
        final ConfigException continued = assertThrows(ConfigException.class,
            () -> engine(new DirectoryJournal(temporary.resolve("redacted"), SMALL), Incarnation.config(2).build(),
                new ContentBackend(2, false)));
        assertTrue(continued.getMessage().contains("cannot be continued: its journal has no tokens"),
            continued.getMessage());
    }

    @Test
    void shouldRefuseAKeyThatIsNoSecret() throws Exception
    {
        final Path file = keyFile("open", 3, "rw-r-----");
        final List<Path> files = List.of(file, Files.write(temporary.resolve("short"), new byte[31]), temporary);
        final List<String> reasons = List.of("can be read or written by others than its owner",
            "has 31 bytes, and a key has 32", "is no file with a key");
        Files.setPosixFilePermissions(files.get(1), PosixFilePermissions.fromString("rw-------"));
        for (int i = 0; i < files.size(); i++)
        {
            final Path each = files.get(i);
            final String refusal =
                assertThrows(ConfigException.class, () -> TokenKey.read("--journal-key", each)).getMessage();
            assertTrue(refusal.startsWith("--journal-key=" + each) && refusal.contains(reasons.get(i)), refusal);
        }
    }
}
