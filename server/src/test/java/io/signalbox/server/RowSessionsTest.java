// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Which rows the client of a session has. */
class RowSessionsTest
{
    private static final int[] ANSWER = {1, 2, 3, 4, 5};
    private static final int[] NEXT = {1, 2, 3, 4, 5, 6, 7};

    private final RowSessions sessions = new RowSessions();

    @Test
    void shouldSendTheRowsAfterTheLastAnswer()
    {
        assertEquals(0, sessions.from("a", ANSWER, 0));
        sessions.sent("a", ANSWER, 0, 0);
        assertEquals(4, sessions.from("a", NEXT, 0));
        sessions.sent("a", NEXT, 4, 0);
        assertEquals(6, sessions.from("a", new int[] {1, 2, 3, 4, 5, 6, 7, 8}, 0));
        assertEquals(1, sessions.from("a", new int[] {1, 9}, 0));
    }

    /** A client that got the later rows of other weights has no row of them at the beginning. */
    @Test
    void shouldSendAllRowsAfterAnAnswerOfOtherWeights()
    {
        sessions.sent("a", ANSWER, 0, 0);
        sessions.sent("a", NEXT, 4, 1);
        assertEquals(0, sessions.from("a", NEXT, 1));
        assertEquals(0, sessions.from("a", NEXT, 0));
        sessions.sent("b", NEXT, 4, 1);
        assertEquals(0, sessions.from("b", NEXT, 1), "a session that nobody remembers");
        sessions.sent("a", NEXT, 0, 1);
        assertEquals(6, sessions.from("a", NEXT, 1));
        sessions.forget("a");
        assertEquals(0, sessions.from("a", NEXT, 1));
    }
}
