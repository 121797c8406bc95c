// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Steps that are planned before the host knows their start. */
class LateBindingTest
{
    private static final int BLOCKS = 33;

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldStartAtHighestWhenAllAccepted(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 3, 100, BLOCKS).submit(4, 24, -1).fill();
        rig.completeAndFill().completeAndFill();
        rig.complete(0);
        assertTrue(rig.said().get(0).startsWith("Commit 3: 1@8+4 emits"), () -> rig.said().toString());
        rig.run();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldStartAtLowestWhenAllRejected(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 3, 0, BLOCKS).submit(4, 24, -1).fill();
        rig.completeAndFill().completeAndFill();
        rig.complete(0);
        assertTrue(rig.said().get(0).startsWith("Commit 3: 1@5+1 rejected 3 emits"), () -> rig.said().toString());
        rig.run();
    }

    /** Each commit narrows the interval of the next plan: only the steps in flight leave a doubt. */
    @Test
    void shouldNarrowIntervalAtEachCommit()
    {
        final DepthRig rig = DepthRig.small(4, 3, 0, BLOCKS).submit(4, 24, -1).wake();
        rig.launch(0).launch(0);
        assertEquals(List.of("Schedule 3: 1@5~3+4 <12 after 2/0"), rig.said());
        rig.launch(0);
        assertEquals(List.of("Schedule 4: 1@6~6+4 <16 after 3/0"), rig.said());
        rig.launch(0).complete(0).complete(0);
        assertEquals("Schedule 6: 1@8~9+4 <21 after 5/0", rig.launch(0).said().get(0));
        rig.run();
    }

    @Test
    void shouldPlanChunkBehindChunkAndDecodeBehindLastChunk()
    {
        final DepthRig rig = DepthRig.small(4, 3, 100, BLOCKS).submit(40, 4, -1).wake();
        assertEquals("Schedule 1: 1@0+16 <16", rig.said().get(0));
        assertEquals(List.of("Schedule 2: 1@16+16 <32"), rig.launch(0).said());
        assertEquals(List.of("Schedule 3: 1@32+8 <40"), rig.launch(0).said());
        assertEquals(List.of("Schedule 4: 1@40+3 <43 after 3/0"), rig.launch(0).said());
        rig.run();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldCountDraftsInBudget(final int depth)
    {
        final DepthRig rig = new DepthRig(DepthRig.smallConfig(depth, 3, BLOCKS).stepTokens(5).build(), 100);
        rig.submit(2, 9, -1).submit(2, 9, -1).submit(2, 9, -1).run();
        assertEquals(3, rig.outputs().ended().size());
    }

    /** Budget for all draft tokens of one request: the later requests of the step still get one token each. */
    @Test
    void shouldLeaveATokenForEveryLaterRequestOfTheStep()
    {
        final DepthRig rig = DepthRig.traced(DepthRig.smallConfig(2, 3, BLOCKS).stepTokens(6));
        rig.submit(2, 9, -1).submit(2, 9, -1).submit(2, 9, -1).wake();
        assertEquals(List.of("Schedule 1: 1@0+2 <2; 2@0+2 <2; 3@0+2 <2"), rig.said());
        assertEquals(List.of("Schedule 2: 1@2+4 <6 after 1/0; 2@2+1 <3 after 1/1; 3@2+1 <3 after 1/2"),
            rig.launch(0).said());
        rig.run();
    }

    /** For every number of draft tokens and every budget that holds one token of each request. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldStarveNoRequestForDraftsOfAnother(final int depth)
    {
        final int requests = 4;
        for (int drafts = 1; drafts <= 5; drafts++)
        {
            for (int budget = 2 * requests; budget <= requests * (drafts + 1); budget++)
            {
                final DepthRig rig = DepthRig.traced(
                    DepthRig.smallConfig(depth, drafts, 65).blockSizeTokens(16).stepTokens(budget));
                for (int i = 0; i < requests; i++)
                {
                    rig.submit(2, 40, -1);
                }
                rig.fill();
                for (int step = 0; step < 12; step++)
                {
                    assertAllComputed(rig.completeAndFill().said(), requests);
                }
                rig.run();
            }
        }
    }

    /** Each completion frees a slot, so a step is planned. */
    private static void assertAllComputed(final List<String> said, final int requests)
    {
        final List<String> plans = said.stream().filter(line -> line.startsWith("Schedule")).toList();
        assertEquals(1, plans.size(), said::toString);
        assertEquals(requests, plans.get(0).split(";").length, plans.get(0));
    }

    /** The first request finds no block for step 3; the second one ends before step 4. */
    @Test
    void shouldNamePredecessorAcrossSkippedStep()
    {
        final DepthRig rig = DepthRig.small(4, 0, 0, 6).submit(7, 9, -1).submit(4, 1, -1).submit(5, 9, -1).wake();
        assertEquals(List.of("Schedule 1: 1@0+7 <7; 2@0+4 <4; 3@0+5 <5"), rig.said());
        assertEquals(List.of("Schedule 2: 1@7+1 <8 after 1/0; 3@5+1 <6 after 1/2"), rig.launch(0).said());
        assertEquals(List.of("Schedule 3: 3@6+1 <7 after 2/1"), rig.launch(0).said());
        assertEquals("Free 2 LENGTH", rig.complete(0).said().get(1));
        assertEquals(List.of("Schedule 4: 1@8+1 <9 after 2/0; 3@7+1 <8 after 3/0"), rig.launch(0).said());
        rig.run();
    }
}
