// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.journal.restart.KeyedRequests;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The requests of a run as its clients saw them, read from the lines that its engines printed, over any number of
 * engines. A line that a kill cut short was not seen.
 */
final class VisibleRequests
{
    private final Map<Long, List<Integer>> tokens = new TreeMap<>();
    private final Set<Long> accepted = new HashSet<>();
    private final Set<Long> ended = new HashSet<>();
    private final Map<Long, Long> rows = new HashMap<>();
    /** Requests whose clients stopped them after a token: later tokens may be hidden. */
    private final Set<Long> stopped = new HashSet<>();
    private final VisibleEnds ends = new VisibleEnds();
    /** Accepted and rejected, by epoch. */
    private final Map<Integer, int[]> drafts = new TreeMap<>();
    private String held;
    private boolean closed;
    private int resumedWithTokens;
    private int acknowledgedRows;
    private long shownTokens;
    private long checkedRows;

    /** The line is whole once another one follows it. */
    void line(final String text)
    {
        final String whole = held;
        held = text;
        if (text.equals("CLOSED"))
        {
            closed = true;
        }
        if (whole != null && !ends.see(whole))
        {
            see(whole.split(" "));
        }
    }

    /** The line printed last may be cut. */
    void killed()
    {
        held = null;
    }

    boolean isClosed()
    {
        return closed;
    }

    private void see(final String[] words)
    {
        final long id = words.length > 1 ? Long.parseLong(words[1]) : -1;
        switch (words[0])
        {
            case "ACCEPTED" -> assertTrue(accepted.add(id), "request " + id + " was accepted twice");
            case "TOKEN" -> tokens.computeIfAbsent(id, key -> new ArrayList<>()).add(Integer.valueOf(words[2]));
            case "ENDED" -> assertTrue(ended.add(id), "request " + id + " ended twice");
            case "ROWS" -> rows.put(id, Long.valueOf(words[2]));
            case "STOPPED" -> stopped.add(id);
            case "RESUMED" -> resume(id, words);
            default ->
            {
            }
        }
    }

    /** A later engine shows the tokens that were visible, and perhaps more. */
    private void resume(final long id, final String[] words)
    {
        final List<Integer> now = new ArrayList<>();
        for (int i = 2; i < words.length; i++)
        {
            now.add(Integer.valueOf(words[i]));
        }
        final List<Integer> before = tokens.getOrDefault(id, List.of());
        final boolean isShorter = now.size() < before.size() && stopped.contains(id);
        assertTrue(isShorter ? before.subList(0, now.size()).equals(now) :
            now.size() >= before.size() && now.subList(0, before.size()).equals(before),
            () -> "request " + id + " had the tokens " + before + " and was resumed with " + now);
        tokens.put(id, now);
        resumedWithTokens += before.isEmpty() ? 0 : 1;
    }

    int acceptedCount()
    {
        return accepted.size();
    }

    /** Tokens that a client saw, those that a later engine showed again counted once; known after {@link #check}. */
    long shownTokens()
    {
        return shownTokens;
    }

    /** Rows of routed experts that a client had and that were compared; known after {@link #check}. */
    long checkedRows()
    {
        return checkedRows;
    }

    /** Whether the client of this request releases its rows separately, after it has stored them. */
    static boolean acknowledgesRows(final long requestId)
    {
        return requestId % 3 != 0;
    }

    /** Requests whose rows were all there although none is released before it is stored. */
    int acknowledgedRows()
    {
        return acknowledgedRows;
    }

    /** Requests that a later engine resumed after they had shown tokens. */
    int resumedWithTokens()
    {
        return resumedWithTokens;
    }

    /** Draft tokens that were emitted, and those that were rejected, of each engine; known after {@link #check}. */
    Collection<int[]> drafts()
    {
        return drafts.values();
    }

    /** Compares all that was seen with the requests, and with the journal, as far as that is kept. */
    void check(final Path journal)
    {
        final Recorded recorded = new Recorded();
        try (JournalReader reader = JournalReader.openKept(journal, ReadProgress.NONE))
        {
            recorded.isShortened = reader.groups() > 0;
            while (reader.next())
            {
                recorded.readGroup(reader.group(), 0, reader.groupLength());
                ends.recorded().read(reader.group(), reader.groupLength());
            }
        }
        if (recorded.isShortened)
        {
            // Ids grow: those of requests that are gone are lower.
            final long lowest = recorded.keys.keySet().iterator().next();
            accepted.removeIf(id -> id < lowest);
            ended.retainAll(recorded.keys.keySet());
            tokens.keySet().removeIf(id -> id < lowest);
            recorded.ended.retainAll(recorded.keys.keySet());
        }
        assertTrue(recorded.keys.keySet().containsAll(accepted), "a request that was visible is not in the journal");
        final List<Integer> firsts = recorded.keys.keySet().stream().filter(id -> !recorded.samples.contains(id))
            .map(recorded.keys::get).toList();
        assertEquals(firsts.size(), new HashSet<>(firsts).size(), "a request is there twice");
        assertEquals(recorded.keys.keySet(), recorded.ended, "a request never ended");
        assertTrue(recorded.ended.containsAll(ended));
        recorded.keys.forEach((id, key) -> check(id, KeyedRequests.ending(key), recorded));
        ends.check(recorded.isShortened);
        drafts.putAll(recorded.drafts);
        // A refused request may be resumed too, without a token.
        tokens.forEach((id, shown) -> assertTrue(
            shown.isEmpty() || recorded.keys.containsKey(id), "request " + id + " came from nowhere"));
    }

    private void check(final long id, final KeyedRequests request, final Recorded recorded)
    {
        final List<Integer> expected = new ArrayList<>();
        for (final int token : request.generated())
        {
            expected.add(token);
        }
        final boolean endsByItself = ends.recorded().endsByItself(id, request.end());
        final List<Integer> answer = recorded.tokens.get(id);
        assertEquals(endsByItself ? expected : expected.subList(0, Math.min(expected.size(), answer.size())), answer,
            "the journal's tokens of request " + id);
        final List<Integer> visible = tokens.getOrDefault(id, List.of());
        assertTrue(visible.size() <= expected.size() && expected.subList(0, visible.size()).equals(visible),
            () -> "request " + id + " showed " + visible + " in place of " + expected);
        shownTokens += visible.size();
        if (request.wantsRows() && endsByItself)
        {
            // Only without an acknowledgement may an engine be killed after the release and before the line.
            assertTrue(rows.containsKey(id) || !acknowledgesRows(id) && recorded.released.contains(id),
                "the rows of request " + id + " are lost");
            acknowledgedRows += acknowledgesRows(id) ? 1 : 0;
            checkedRows += rows.containsKey(id) ? request.rowCount() : 0;
            assertEquals(request.rowsDigest(), rows.getOrDefault(id, request.rowsDigest()), "the rows of request " + id);
        }
    }

    /** The requests of the journal. */
    private static final class Recorded extends EventReader
    {
        private final Map<Long, Integer> submitted = new HashMap<>();
        private final Map<Long, Integer> keys = new TreeMap<>();
        private final Map<Long, List<Integer>> tokens = new HashMap<>();
        private final Set<Long> ended = new HashSet<>();
        private final Set<Long> released = new HashSet<>();
        /** Further samples of a prompt: they have the key of the first one. */
        private final Set<Long> samples = new HashSet<>();
        private final Map<Integer, int[]> drafts = new TreeMap<>();
        private boolean isShortened;

        @Override
        protected void onSubmit(final SubmitDecoder message)
        {
            assertNull(submitted.put(message.requestId(), (int)message.conversationId()), "an id was given twice");
            if (message.sampleOf() >= 0)
            {
                samples.add(message.requestId());
                assertTrue(isShortened || message.conversationId() == submitted.get(message.sampleOf()), "another's sample");
            }
        }

        @Override
        protected void onAccepted(final AcceptedDecoder message)
        {
            keys.put(message.requestId(), submitted.get(message.requestId()));
            assertTrue(tokens.put(message.requestId(), new ArrayList<>()) == null, "an id was given twice");
        }

        @Override
        protected void onCommit(final CommitView commit)
        {
            final int[] counts = drafts.computeIfAbsent(commit.epoch(), epoch -> new int[2]);
            int token = 0;
            for (int entry = 0; entry < commit.entryCount(); entry++)
            {
                counts[0] += Math.max(0, commit.emitted(entry) - 1);
                counts[1] += commit.rejected(entry);
                for (int i = 0; i < commit.emitted(entry); i++)
                {
                    final List<Integer> emitted = tokens.get(commit.requestId(entry));
                    assertTrue(emitted != null || isShortened, "a token of no request");
                    if (emitted != null)
                    {
                        emitted.add(commit.token(token));
                    }
                    token++;
                }
            }
        }

        @Override
        protected void onFree(final FreeDecoder message)
        {
            assertEquals(0, message.missingRows());
            assertTrue(ended.add(message.requestId()), "a request ended twice");
        }

        @Override
        protected void onControl(final ControlDecoder message)
        {
            if (message.kind() == ControlKind.RELEASE_ROWS)
            {
                released.add(message.requestId());
            }
        }
    }
}
