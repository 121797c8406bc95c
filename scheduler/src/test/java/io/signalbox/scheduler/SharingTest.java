// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Requests that share blocks which decoding fills, or which a step in flight computes. Blocks of 4 tokens. */
class SharingTest
{
    private static final int BLOCKS = 33;

    private static ModelContent.Prompt nextTurn(final DepthRig rig, final long previous, final int added)
    {
        final int known = rig.content.prompt(previous).tokens() + rig.emitted(previous).size();
        return new ModelContent.Prompt(0, previous, known, known + added, 2, List.of());
    }

    private static int registered(final DepthRig rig)
    {
        return rig.scheduler.blocks(0).allocator().hashCount();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldRegisterDecodeFilledBlockAtCommit(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 0, 0, BLOCKS).submit(6, 9, -1).fill();
        rig.completeAndFill();
        assertEquals(1, registered(rig), "6 tokens are computed");
        rig.completeAndFill();
        assertEquals(1, registered(rig), "8 are known, 7 are computed");
        rig.completeAndFill();
        assertEquals(2, registered(rig), "8 are computed");
        rig.run();
        assertEquals(3, registered(rig), "15 tokens, 14 of which were fed");
        assertEquals(2, rig.counts.of(DepthCounts.Kind.GENERATED_BLOCK));
    }

    /** Of 1 + 3 tokens that an entry feeds, one or two are accepted: a block is full later than its last draft. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldNeverRegisterBlockWithRejectedToken(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 3, 50, BLOCKS).submit(6, 13, -1).run();
        assertEquals(true, rig.counts.of(DepthCounts.Kind.REJECTED_DRAFT) > 2);
        assertEquals(4, registered(rig), "18 tokens were fed");
        assertEquals(3, rig.counts.of(DepthCounts.Kind.GENERATED_BLOCK));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldFindLastAnswerInNextTurn(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 2, 50, BLOCKS).submit(6, 9, -1).run();
        rig.submit(nextTurn(rig, 1, 5), 0, -1).run();
        assertEquals(3, rig.counts.of(DepthCounts.Kind.MATCHED_BLOCK));
        assertEquals(2, rig.counts.of(DepthCounts.Kind.MATCHED_GENERATED_BLOCK));
        rig.submit(nextTurn(rig, 2, 1), 0, -1).run();
        assertEquals(3 + 5, rig.counts.of(DepthCounts.Kind.MATCHED_BLOCK), "21 of its 22 tokens were fed");
    }

    /** A request that lost its blocks finds those that it filled itself. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldFindItsOwnDecodeFilledBlocksAfterAWithdrawal(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 0, 0, BLOCKS).submit(6, 12, -1).fill();
        while (rig.emitted(1).size() < 8)
        {
            rig.completeAndFill();
        }
        rig.fail(0, rig.devices[0].inFlight(0));
        assertEquals(3, rig.counts.of(DepthCounts.Kind.MATCHED_BLOCK), "13 of its 14 tokens are computed");
        assertEquals(2, rig.counts.of(DepthCounts.Kind.MATCHED_GENERATED_BLOCK));
        rig.run();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldNotRegisterAfterCacheReset(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 0, 0, BLOCKS).submit(6, 9, -1).fill();
        rig.completeAndFill();
        rig.resetCache().run();
        assertEquals(0, registered(rig));
        rig.submit(nextTurn(rig, 1, 3), 0, -1).run();
        assertEquals(0, rig.counts.of(DepthCounts.Kind.MATCHED_BLOCK));
        assertEquals(4, registered(rig), "18 tokens and one that was fed");
    }

    /** Without the tokens behind its full blocks nothing that decoding fills can be hashed. */
    @Test
    void shouldNotRegisterWithoutAChain()
    {
        final DepthRig rig = DepthRig.small(1, 0, 0, BLOCKS);
        for (int id = 1; id <= 5; id++)
        {
            rig.submit(6, 9, -1).run();
        }
        assertEquals(false, ModelContent.isContinued(5));
        assertEquals(4 * 3 + 1, registered(rig));
    }

    /** Step 1 computes the prompt of the first request; the second one, which begins alike, joins step 2. */
    private static DepthRig producerAndConsumer(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 0, 0, BLOCKS);
        rig.submit(new ModelContent.Prompt(3, 8, 10, 3, -1), 0, -1).wake();
        rig.submit(new ModelContent.Prompt(3, 8, 11, 3, -1), 0, -1).launch(0);
        assertEquals(2, rig.counts.of(DepthCounts.Kind.MATCHED_PENDING_BLOCK));
        return rig;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldShareBlockPendingInEarlierStep(final int depth)
    {
        final DepthRig rig = producerAndConsumer(depth);
        assertEquals(3 + 1, rig.scheduler.blocks(0).allocator().owned());
        rig.run();
        assertEquals(2, rig.counts.of(DepthCounts.Kind.MATCHED_BLOCK));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldDropProvisionalRowsOfWithdrawnProducer(final int depth)
    {
        final DepthRig rig = producerAndConsumer(depth);
        assertEquals(3, rig.scheduler.request(2).rows().pageCount());
        assertEquals(0, rig.scheduler.request(2).computedHighWater());
        rig.lose(0, rig.devices[0].inFlight(0));
        assertEquals(1, rig.counts.of(DepthCounts.Kind.WITHDRAWN_PENDING_MATCH));
        assertEquals(0, rig.scheduler.request(2).rows().pageCount());
        assertEquals(0, rig.scheduler.request(2).computedHighWater());
        rig.run();
    }

    /** The consumer's step needs what the chunk of the cancelled request computes. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldCommitPromptRowsOfCancelledProducer(final int depth)
    {
        final DepthRig rig = producerAndConsumer(depth);
        rig.cancel(1).complete(0);
        assertEquals(1, rig.counts.of(DepthCounts.Kind.CHUNK_OF_GONE_OWNER));
        assertEquals(2, registered(rig));
        assertEquals(List.of(), rig.emitted(1));
        rig.run();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldShareEqualPromptsOfOneStepIfTheBackendWritesFirst(final boolean writesKvFirst)
    {
        final DepthRig rig = new DepthRig(
            DepthRig.smallConfig(1, 0, BLOCKS).stepTokens(64).sameStepSharing(writesKvFirst).build(), 0);
        for (int request = 0; request < 3; request++)
        {
            rig.submit(new ModelContent.Prompt(3, 10, 10, 3, -1), 0, -1);
        }
        rig.wake();
        assertEquals(writesKvFirst ? 4 : 0, rig.counts.of(DepthCounts.Kind.MATCHED_IN_STEP));
        assertEquals(writesKvFirst ? 5 : 9, rig.scheduler.blocks(0).allocator().owned());
        rig.run();
    }
}
