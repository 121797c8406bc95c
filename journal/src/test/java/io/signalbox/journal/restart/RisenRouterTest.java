// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.ConfigException;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.event.EventReader;
import io.signalbox.event.codec.RouterVersionDecoder;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.KilledCopy;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.ReplayFollower;
import io.signalbox.journal.SmallRetention;
import io.signalbox.journal.SnapshotFollower;
import io.signalbox.journal.Verification;
import io.signalbox.journal.Verification.RepeatedVersion;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.Scheduler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A later version of the router continues the run of an earlier one, and verifies all but the earlier one's placements. */
@Tag("threads")
final class RisenRouterTest
{
    private static final JournalConfig SMALL = new JournalConfig(Durability.PROCESS, 1 << 16, 1 << 18);
    private static final int NEW_TOKENS = 9;
    private static final long UNSEEN_GROUPS = 64;

    @TempDir
    private Path temporary;
    private final Map<Long, Ask> asked = new HashMap<>();
    private final Set<Long> taken = new HashSet<>();
    private final List<CompletionHandle> handles = new ArrayList<>();

    private static Incarnation open(final Path journal, final RouterConfig router)
    {
        return new Incarnation(new DirectoryJournal(journal, SMALL), Incarnation.config(2).router(router).build());
    }

    private static Incarnation open(final Path journal, final int version)
    {
        return open(journal, TurnDpRouter.version(version));
    }

    private void submit(final Incarnation engine, final int requests)
    {
        for (int i = 0; i < requests; i++)
        {
            final int number = asked.size();
            final int[] prompt = new int[4 + number % 30];
            Arrays.setAll(prompt, k -> (k * 3 + number % 5) % ContentModel.VOCABULARY);
            final Ask ask = new Ask(prompt, NEW_TOKENS, 0, 0);
            final CompletionHandle handle = engine.submit(ask);
            handles.add(handle);
            assertNull(asked.put(handle.requestId(), ask), "an id is given once");
        }
    }

    /** Runs of one engine, which is killed with requests under way; returns the journal. */
    private Path killed(final Path journal, final int version, final String name) throws Exception
    {
        final Incarnation engine = open(journal, version);
        handles.clear();
        submit(engine, 30);
        engine.turn(25);
        return KilledCopy.of(journal, temporary.resolve(name));
    }

    private void finish(final Incarnation engine) throws Exception
    {
        // Ends that clients have seen may be in records that were removed.
        handles.addAll(engine.resumed().stream().filter(handle -> !handle.isDone()).toList());
        engine.finish();
        for (final CompletionHandle handle : handles)
        {
            final Ask ask = asked.get(handle.requestId());
            assertArrayEquals(ContentModel.generated(ask, NEW_TOKENS), handle.tokens(), "request " + handle.requestId());
            if (taken.add(handle.requestId()))
            {
                ContentModel.assertRows(ask, NEW_TOKENS, Incarnation.rows(handle));
            }
        }
        handles.clear();
    }

    /** Continues a killed run to its end. */
    private void finish(final Path journal, final int version) throws Exception
    {
        handles.clear();
        try (Incarnation engine = open(journal, version))
        {
            finish(engine);
        }
    }

    private static Verification verified(final Path journal, final int version)
    {
        return JournalVerifier.verifyKept(journal, TurnDpRouter.installed(version), ReadProgress.NONE);
    }

    private static List<Integer> versionsOf(final Verification found)
    {
        assertTrue(found.matches(), String.valueOf(found.difference()));
        return found.repeated().stream().map(RepeatedVersion::version).toList();
    }

    /** The versions that the records name. */
    private static List<Integer> recorded(final Path journal)
    {
        final List<Integer> versions = new ArrayList<>();
        final EventReader versionReader = new EventReader(RouterVersionDecoder.TEMPLATE_ID)
        {
            @Override
            protected void onRouterVersion(final RouterVersionDecoder message)
            {
                versions.add(message.version());
                assertEquals(TurnDpRouter.LABEL, message.label());
            }
        };
        try (JournalReader reader = JournalReader.openKept(journal, ReadProgress.NONE))
        {
            while (reader.next())
            {
                versionReader.readGroup(reader.group(), 0, reader.groupLength());
            }
        }
        return versions;
    }

    @Test
    void shouldContinueAndVerifyTheRunOfAnEarlierVersion() throws Exception
    {
        final Path first = killed(temporary.resolve("journal"), 1, "first");
        final Path second = killed(first, 2, "second");
        // The same version once more: nothing has risen.
        final Path third = killed(second, 2, "third");
        handles.clear();
        try (Incarnation engine = open(third, 3))
        {
            submit(engine, 10);
            finish(engine);
        }

        assertEquals(List.of(2, 3), recorded(third));
        final Verification found = verified(third, 3);
        assertEquals(List.of(1, 2), versionsOf(found));
        assertTrue(found.repeated().get(0).placements() >= 12, found.repeated().toString());
        assertTrue(found.repeated().get(1).placements() >= 12, found.repeated().toString());
        assertEquals(found.repeated().get(0).placements() +
            " placements of version 1 of the router turn as recorded; version 3 is installed",
            found.repeated().get(0).toString());
        // A version verifies the part that it decided, and names the other versions.
        assertEquals(List.of(1, 3), versionsOf(verified(third, 2)));
        assertEquals(List.of(2, 3), versionsOf(verified(third, 1)));
    }

    @Test
    void shouldContinueOnThreads() throws Exception
    {
        final Path first = killed(temporary.resolve("journal"), 1, "first");
        handles.clear();
        try (SignalboxEngine engine = SignalboxEngine.launch(new EngineConfig().backend(new ContentBackend(2, true))
            .scheduler(Incarnation.config(2).router(TurnDpRouter.version(2)).build())
            .runJournal(new DirectoryJournal(first, SMALL))))
        {
            assertEquals(30, engine.resumed().size());
            for (final CompletionHandle handle : engine.resumed())
            {
                final Ask ask = asked.get(handle.requestId());
                ContentModel.assertRows(ask, NEW_TOKENS, Incarnation.rows(handle));
                assertArrayEquals(ContentModel.generated(ask, NEW_TOKENS), handle.tokens());
            }
        }

        assertEquals(List.of(2), recorded(first));
        assertEquals(List.of(1), versionsOf(verified(first, 2)));
    }

    @Test
    void shouldNotContinueTheRunOfALaterVersion() throws Exception
    {
        final Path first = killed(temporary.resolve("journal"), 1, "first");
        final Path second = killed(first, 2, "second");

        final ConfigException refusal = assertThrows(ConfigException.class, () -> open(second, 1));
        assertEquals(second + " cannot be continued: version 2 of the router turn decided last, and version 1 is " +
            "installed; start an engine with version 2 or a later one.", refusal.getMessage());
        asked.clear();
        final Path begun = killed(temporary.resolve("later"), 2, "begun");
        assertTrue(assertThrows(ConfigException.class, () -> open(begun, 1)).getMessage().contains(
            "router.version=2, but the engine that is to continue it has router.version=1"));
        assertEquals(List.of(2), recorded(second), "nothing was written");
    }

    /** The record has no value of the knob, so a replay would not know the value that the engine had. */
    @Test
    void shouldRefuseAKnobThatTheRunDidNotHave() throws Exception
    {
        final Path first = killed(temporary.resolve("journal"), 1, "first");

        final String refusal = assertThrows(ConfigException.class,
            () -> open(first, TurnDpRouter.version(2).with("offset", 3))).getMessage();

        assertTrue(refusal.contains("the run has router.knob.offset=0, but the engine that is to continue it has " +
            "router.knob.offset=3"), refusal);
    }

    /** Verification decides everything but the placements again, so it finds a difference in anything else. */
    @Test
    void shouldFindADifferenceInTheRunOfAnEarlierVersion() throws Exception
    {
        final Path first = killed(temporary.resolve("journal"), 1, "first");
        finish(first, 2);

        final Verification found = JournalVerifier.verify(first, TurnDpRouter.installed(2), config -> new Scheduler(
            config.toBuilder().digestInterval(17).build()), ReadProgress.NONE);

        assertTrue(!found.matches());
        assertTrue(found.groups() < 20, "in the part of the earlier version, at group " + found.groups());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldContinueAShortenedRunOfAnEarlierVersion(final boolean hasLaterImage) throws Exception
    {
        Path journal = temporary.resolve("journal-0");
        int removed = 0;
        for (int i = 1; i <= 6; i++)
        {
            final Incarnation engine = open(journal, 1);
            submit(engine, 40);
            finish(engine);
            submit(engine, 7);
            engine.turn(5);
            handles.clear();
            engine.close();
            new SnapshotFollower(journal, 200, 16).follow(ReadProgress.NONE);
            new ReplayFollower(journal, 200, TurnDpRouter.installed(1)).follow(ReadProgress.NONE);
            removed += SmallRetention.apply(journal, UNSEEN_GROUPS, TurnDpRouter.installed(1)).segments();
        }
        assertTrue(removed > 1, "removed " + removed);
        if (hasLaterImage)
        {
            // The later version writes an image of the run of the earlier one.
            final ReplayFollower follower = new ReplayFollower(journal, 200, TurnDpRouter.installed(2));
            follower.follow(ReadProgress.NONE);
            follower.conclude();
        }
        final Path second = killed(journal, 2, "second");
        try (Incarnation engine = open(second, 2))
        {
            engine.finish();
        }

        assertEquals(List.of(2), recorded(second));
        final Verification found = verified(second, 2);
        assertEquals(List.of(1), versionsOf(found));
        assertTrue(found.begunAt() > 0);
        assertEquals(List.of(2), versionsOf(verified(second, 1)));
        // A verification that begins at the newest image confirms it, too.
        new ReplayFollower(second, 200, TurnDpRouter.installed(2)).follow(ReadProgress.NONE);
        assertTrue(JournalVerifier.verifyBehindSnapshot(second, TurnDpRouter.installed(2), ReadProgress.NONE).matches());
    }

    /** A run that continues under the same version is verified as a whole. */
    @Test
    void shouldNotNameAVersionIfNothingHasRisen() throws Exception
    {
        final Path first = killed(temporary.resolve("journal"), 2, "first");
        finish(first, 2);

        assertEquals(List.of(), versionsOf(verified(first, 2)));
        assertEquals(List.of(), recorded(first));
        assertThrows(JournalException.class, () -> verified(first, 1), "begun by a later version");
    }
}
