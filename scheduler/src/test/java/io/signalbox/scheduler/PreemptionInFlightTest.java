// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.codec.FreeReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Requests lose their blocks while steps of them are in flight. The rig checks each choice of a victim. */
class PreemptionInFlightTest
{
    /** Two requests that do not fit together; decisions of the whole run. */
    private static int indexOf(final List<String> said, final String start)
    {
        for (int i = 0; i < said.size(); i++)
        {
            if (said.get(i).startsWith(start))
            {
                return i;
            }
        }
        throw new AssertionError(start + " is not among " + said);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldPreemptItselfIfYoungestAndEmitEachTokenOnce(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 0, 0, 5).submit(4, 10, -1).submit(4, 10, -1);
        final List<String> said = OneRankPlay.toTheEnd(rig);
        final int requeued = indexOf(said, "Requeued 2 PREEMPTED");
        assertTrue(requeued < indexOf(said, "Free 1 LENGTH"));
        assertFalse(said.contains("Requeued 1 PREEMPTED"), "the older request is never preempted for the younger one");
        assertEquals(10, rig.emitted(1).size());
        assertEquals(10, rig.emitted(2).size());
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldResumeWithoutDrafts(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 3, 50, 5).submit(4, 10, -1).submit(4, 10, -1);
        final List<String> said = OneRankPlay.toTheEnd(rig);
        final List<String> later = said.subList(indexOf(said, "Requeued 2 PREEMPTED"), said.size());
        final String resumed = later.stream().filter(line -> line.startsWith("Schedule") && line.contains("2@")).findFirst()
            .orElseThrow();
        assertTrue(resumed.matches(".*2@\\d+\\+\\d+ <\\d+"), resumed);
    }

    /** The victim has a step in flight: it leaves when the last of them has landed. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldLeaveOnlyAfterLastEntryLandsAndStopWhileLeaving(final int depth)
    {
        int stoppedWhileLeaving = 0;
        int leftLater = 0;
        for (int answer = 1; answer < 10; answer++)
        {
            final DepthRig rig = DepthRig.small(depth, 0, 0, 5);
            final int[] tokens = new int[12];
            tokens[answer] = 7;
            rig.content.answer(2, tokens);
            rig.submit(6, 6, -1).submit(5, 11, 7);
            OneRankPlay.toTheEnd(rig);
            final boolean inFlight = rig.counts.of(DepthCounts.Kind.PREEMPTION_IN_FLIGHT) > 0;
            final boolean requeued = rig.counts.of(DepthCounts.Kind.PREEMPTION) > 0;
            leftLater += inFlight && requeued ? 1 : 0;
            stoppedWhileLeaving += inFlight && !requeued ? 1 : 0;
            assertEquals(FreeReason.STOP, rig.outputs().ended().get(2L).reason());
            assertEquals(answer + 1, rig.emitted(2).size());
        }
        assertTrue(leftLater > 0, "no victim had a step in flight");
        assertTrue(stoppedWhileLeaving > 0, "no victim stopped before it left");
    }

    @Test
    void shouldWaitWhileBlocksAreComing()
    {
        final DepthRig rig = DepthRig.small(2, 0, 0, 5);
        rig.content.answer(1, 1, 2, 7);
        rig.submit(4, 9, 7).submit(4, 9, -1).submit(4, 9, -1);
        final List<String> said = OneRankPlay.toTheEnd(rig);
        final int stopped = indexOf(said, "Free 1 STOP fence");
        final int fence = Integer.parseInt(said.get(stopped).substring("Free 1 STOP fence ".length()));
        final int landed = indexOf(said, "Commit " + fence);
        assertTrue(said.subList(stopped, landed).stream().noneMatch(line -> line.startsWith("Requeued")), "" + said);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldPreemptInMidPromptWithChunksInFlight(final int depth)
    {
        final DepthRig rig = new DepthRig(DepthRig.smallConfig(depth, 0, 8).stepTokens(6).build(), 0);
        rig.submit(new ModelContent.Prompt(0, 0, 6, 20, -1), 1, -1);
        rig.submit(new ModelContent.Prompt(0, 0, 20, 4, -1), 0, -1);
        OneRankPlay.toTheEnd(rig);
        assertTrue(rig.counts.of(DepthCounts.Kind.PREEMPTION) > 0);
        assertEquals(20, rig.emitted(1).size());
        assertEquals(4, rig.emitted(2).size());
    }
}
