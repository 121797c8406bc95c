// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.ConfigException;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.WeightsWay;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * Requests that copy the first tokens of a further block. Blocks of 4 tokens. The client of request 1 sends few tokens;
 * requests 6 to 8 have another cache key than the others.
 */
class PartialBlocksTest
{
    private static final int BLOCKS = 40;

    private static DepthRig rig(final int least, final int blocks)
    {
        final DepthRig rig =
            DepthRig.traced(DepthRig.smallConfig(1, 0, blocks).set(BatchSettings.PARTIAL_BLOCKS, least));
        return skip(rig, 1);
    }

    /** Uses up ids. */
    private static DepthRig skip(final DepthRig rig, final int requests)
    {
        for (int i = 0; i < requests; i++)
        {
            rig.submit(new ModelContent.Prompt(99 + rig.nextId(), 0, 1, 0, -1), 0, -1).drain();
        }
        return rig;
    }

    private static DepthRig run(final DepthRig rig, final int shared, final int tokens, final int newTokens)
    {
        return rig.submit(new ModelContent.Prompt(1, shared, tokens, newTokens, -1), 0, -1).drain();
    }

    /** The plan that admits the request. */
    private static List<String> plan(final DepthRig rig, final ModelContent.Prompt prompt)
    {
        rig.submit(prompt, 0, -1).wake();
        return rig.said().stream().map(line -> line.replaceFirst("Schedule \\d+", "Schedule")).toList();
    }

    private static List<String> plan(final DepthRig rig, final int shared, final int tokens)
    {
        return plan(rig, new ModelContent.Prompt(1, shared, tokens, 1, -1));
    }

    private static int owned(final DepthRig rig)
    {
        return rig.scheduler.blocks(0).allocator().owned();
    }

    @Test
    void shouldCopyWhatTwoFullBlocksHaveInCommon()
    {
        final DepthRig rig = run(rig(2, BLOCKS), 7, 8, 1);
        assertEquals(List.of("Schedule: 3@7+1 <8; copy 3 for 3"), plan(rig, 7, 8));
        rig.drain();
        assertEquals(7, rig.scheduler.rows(3).inheritedRows(8));
        assertEquals(1, rig.scheduler.rows(3).capturedRows(8));
    }

    /** The last token of a prompt is computed in any case, so a prompt of full blocks cannot match its last one. */
    @Test
    void shouldComputeOneTokenOfAnEqualPrompt()
    {
        final DepthRig rig = run(rig(2, BLOCKS), 8, 8, 1);
        assertEquals(List.of("Schedule: 3@7+1 <8; copy 3 for 3"), plan(rig, 8, 8));
        rig.drain();
    }

    /** 6 tokens of a prompt and 1 of the answer were fed. */
    @Test
    void shouldCopyTheLastBlockOfTheTurnBefore()
    {
        final DepthRig rig = run(rig(2, BLOCKS), 0, 6, 2);
        assertEquals(List.of("Schedule: 3@7+6 <13; copy 3 for 3"),
            plan(rig, new ModelContent.Prompt(0, 2, 8, 13, 1, List.of())));
        rig.drain();
        assertEquals(7, rig.scheduler.rows(3).inheritedRows(13));
    }

    @Test
    void shouldNotCopyFewerTokensThanAreWorthIt()
    {
        final DepthRig rig = run(rig(3, BLOCKS), 6, 8, 1);
        assertEquals(List.of("Schedule: 3@4+4 <8"), plan(rig, 6, 8));
        rig.drain();
    }

    @Test
    void shouldChooseTheBlockWithTheMostTokensInCommon()
    {
        final DepthRig rig = run(run(rig(1, BLOCKS), 7, 8, 1), 6, 8, 1);
        assertEquals(List.of("Schedule: 4@7+1 <8; copy 3 for 4"), plan(rig, 7, 8));
        rig.drain();
    }

    @Test
    void shouldNotCopyAcrossCacheKeys()
    {
        final DepthRig rig = skip(run(rig(2, BLOCKS), 3, 4, 1), 3);
        assertEquals(List.of("Schedule: 6@0+4 <4"), plan(rig, 3, 4));
        rig.drain();
        assertEquals(List.of("Schedule: 7@3+1 <4; copy 3 for 7"), plan(rig, 3, 4));
        rig.drain();
    }

    @Test
    void shouldNotCopyWhatOtherWeightsComputed()
    {
        final DepthRig rig = run(rig(2, BLOCKS), 7, 8, 1).newWeights(WeightsWay.FINISH);
        assertEquals(List.of("Schedule: 3@0+8 <8"), plan(rig, 7, 8));
        rig.drain();
    }

    @Test
    void shouldNotCopyAfterACacheReset()
    {
        final DepthRig rig = run(rig(2, BLOCKS), 7, 8, 1).cacheReset();
        assertEquals(List.of("Schedule: 3@0+8 <8"), plan(rig, 7, 8));
        rig.drain();
    }

    /** The block has an owner until the step has landed. */
    @Test
    void shouldKeepTheSourceUntilTheStepHasLanded()
    {
        final DepthRig rig = run(rig(2, BLOCKS), 7, 8, 3);
        plan(rig, new ModelContent.Prompt(1, 7, 8, 3, -1));
        assertEquals(3, owned(rig));
        rig.launch(0);
        rig.land(0);
        assertEquals(3, owned(rig), "two blocks, and one more for the second token of the answer");
        rig.drain();
    }

    @Test
    void shouldCopyAgainAfterAFault()
    {
        final DepthRig rig = run(rig(2, BLOCKS), 7, 8, 1);
        plan(rig, 7, 8);
        rig.launch(0).fault(0, rig.devices[0].inFlight(0), FaultClass.STEP_FAILED);
        assertEquals("Schedule 4: 3@7+1 <8; copy 3 for 3", rig.said().get(rig.said().size() - 1));
        assertEquals(3, owned(rig));
        rig.drain();
    }

    /** Of three blocks one is matched; the copied one would have to stay beside the two that the request lacks. */
    @Test
    void shouldComputeRatherThanWaitForRoom()
    {
        final DepthRig rig = run(rig(2, 4), 7, 8, 1);
        assertEquals(List.of("Schedule: 3@4+5 <9"), plan(rig, 7, 9));
        rig.drain();
    }

    @Test
    void shouldRefuseWhatIsNoPartOfABlock()
    {
        assertEquals("partialBlocks=4 is not between 0 and 3, which are parts of a block of blockSizeTokens=4; " +
            "give fewer tokens or larger blocks.", refusal(DepthRig.smallConfig(1, 0, 40), 4));
        assertEquals("partialBlocks=1 needs cached blocks to copy from, and prefixCaching=false keeps none; " +
            "give 0, or turn prefix caching on.", refusal(DepthRig.smallConfig(1, 0, 40).prefixCaching(false), 1));
    }

    private static String refusal(final SchedulerConfig.Builder config, final int least)
    {
        final SchedulerConfig.Builder asked = config.set(BatchSettings.PARTIAL_BLOCKS, least);
        return assertThrows(ConfigException.class, asked::build).getMessage();
    }
}
