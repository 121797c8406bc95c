// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What the clients of sessions have received: the tokens of the last answer with its prompt, whose rows need not be sent
 * again. The sessions that were not used for the longest time are forgotten first; the next answer then has all rows.
 * Thread-safe.
 */
final class RowSessions
{
    private static final int MOST_SESSIONS = 10_000;
    private static final long MOST_TOKENS = 16 << 20;

    /** Least recently used first. */
    private final Map<String, Sent> sessions = new LinkedHashMap<>(16, 0.75f, true);
    private long tokens;

    /**
     * An answer that was sent.
     *
     * @param sequence   its prompt and its tokens; each but the last has a row.
     * @param generation of the weights that computed all its rows.
     */
    private record Sent(int[] sequence, int generation)
    {
    }

    /**
     * The first position whose row the client lacks.
     *
     * @param generation of the current weights: rows of other weights are sent again.
     */
    synchronized int from(final String session, final int[] prompt, final int generation)
    {
        final Sent sent = sessions.get(session);
        if (sent == null || sent.generation() != generation)
        {
            return 0;
        }
        final int same = Arrays.mismatch(sent.sequence(), prompt);
        return Math.min(same < 0 ? prompt.length : same, sent.sequence().length - 1);
    }

    /**
     * An answer was sent.
     *
     * @param start      position of its first row.
     * @param generation of the weights that computed all of its rows.
     */
    synchronized void sent(final String session, final int[] sequence, final int start, final int generation)
    {
        final Sent before = sessions.get(session);
        if (start > 0 && (before == null || before.generation() != generation))
        {
            // The client has no rows of these weights from 0 on.
            forget(session);
            return;
        }
        sessions.put(session, new Sent(sequence, generation));
        tokens += sequence.length - (before == null ? 0 : before.sequence().length);
        final Iterator<Sent> oldest = sessions.values().iterator();
        while (sessions.size() > MOST_SESSIONS || tokens > MOST_TOKENS)
        {
            tokens -= oldest.next().sequence().length;
            oldest.remove();
        }
    }

    /** The next answer of the session has all rows. */
    synchronized void forget(final String session)
    {
        final Sent before = sessions.remove(session);
        tokens -= before == null ? 0 : before.sequence().length;
    }
}
