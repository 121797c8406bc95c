// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.ConfigException;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.codec.D2hCompleteEncoder;
import io.signalbox.event.codec.RowForm;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.EvictionPolicy;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SchedulerTest
{
    private static SchedulerConfig.Builder small()
    {
        return SchedulerConfig.builder().ranks(1).blockSizeTokens(16).kvBlocks(17).stepTokens(64).maxRunning(8)
            .capture(new ModelShape(2, 64, 2));
    }

    @Test
    void shouldFollowTheLifeOfOneRequest()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(1, 1, 2, 40, 3);
        assertTrue(harness.inFlight.isEmpty(), "a Submit only queues");
        harness.wake();
        assertEquals(List.of(new SchedulerHarness.Row(1, 0, 40)), harness.inFlight.get(0).rows());
        harness.complete(0);
        assertEquals(List.of(new SchedulerHarness.Row(1, 40, 1)), harness.inFlight.get(0).rows());
        harness.complete(0);
        harness.complete(0);
        final SchedulerHarness.Ended ended = harness.ended.get(0);
        assertEquals("LENGTH", ended.reason());
        assertEquals(3, harness.emitted.get(1L).size());
        assertEquals(42, ended.captured());
        assertEquals(0, ended.inherited() + ended.missing());
        harness.oracle().assertRows(harness.scheduler, 1, 42);
    }

    @Test
    void shouldInheritTheRowsOfASharedPrefixAndSkipItsCompute()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(1, 1, 2, 40, 3);
        harness.run();
        harness.submit(2, 1, 2, 40, 3);
        harness.wake();
        assertEquals(List.of(new SchedulerHarness.Row(2, 32, 8)), harness.inFlight.get(0).rows());
        harness.run();
        assertEquals(32, harness.ended.get(1).inherited());
        assertEquals(10, harness.ended.get(1).captured());
        harness.oracle().assertRows(harness.scheduler, 2, 42);
    }

    @Test
    void shouldRecomputeTheLastBlockOfAPromptThatIsWhollyCached()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(1, 1, 2, 32, 1);
        harness.run();
        harness.submit(2, 1, 2, 32, 1);
        harness.wake();
        assertEquals(List.of(new SchedulerHarness.Row(2, 16, 16)), harness.inFlight.get(0).rows());
    }

    @Test
    void shouldSplitALongPrefillIntoChunksOfTheTokenBudget()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(1, 1, 0, 150, 1);
        harness.wake();
        assertEquals(64, harness.inFlight.get(0).tokens());
        harness.complete(0);
        assertEquals(64, harness.inFlight.get(0).tokens());
        harness.complete(0);
        assertEquals(22, harness.inFlight.get(0).tokens());
        harness.complete(0);
        assertEquals(150, harness.ended.get(0).captured());
    }

    @Test
    void shouldHavePromptRowsWhenNothingIsGenerated()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(1, 1, 0, 20, 0);
        harness.run();
        assertEquals(20, harness.ended.get(0).captured());
        assertEquals(0, harness.ended.get(0).generated());
    }

    @Test
    void shouldKeepRowsAcrossPreemptionAndRecompute()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().kvBlocks(6).build());
        harness.submit(1, 1, 0, 30, 40);
        harness.submit(2, 2, 0, 30, 40);
        harness.run();
        assertEquals(2, harness.ended.size());
        for (final SchedulerHarness.Ended ended : harness.ended)
        {
            assertEquals(69, ended.captured(), "request " + ended.requestId());
            assertEquals(0, ended.missing());
            harness.oracle().assertRows(harness.scheduler, ended.requestId(), 69);
        }
    }

    @Test
    void shouldFreeAQueuedRequestAtOnceAndAnInFlightOneWhenItsStepCompletes()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(1, 1, 0, 20, 5);
        harness.wake();
        harness.submit(2, 1, 0, 20, 5);
        harness.cancel(2);
        assertEquals(List.of(2L), harness.ended.stream().map(SchedulerHarness.Ended::requestId).toList());
        harness.cancel(1);
        assertEquals(1, harness.ended.size());
        harness.complete(0);
        assertEquals("CANCELLED", harness.ended.get(1).reason());
        assertEquals(0, harness.emitted.size());
        assertEquals(16, harness.scheduler.blocks(0).allocator().allocatableCount());
    }

    @Test
    void shouldEndARequestWhoseDeadlineHasPassed()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(1, 1, 0, 20, 5, SchedulerHarness.Options.deadline(1_400));
        harness.tickAt(999);
        assertEquals(0, harness.ended.size());
        harness.complete(0);
        harness.complete(0);
        harness.tickAt(1_500);
        harness.complete(0);
        assertEquals("DEADLINE", harness.ended.get(0).reason());
    }

    @Test
    void shouldRefuseWhatCanNeverRun()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(1, 1, 0, 256, 2);
        harness.submit(2, 1, 0, 256, 1);
        harness.submit(2, 1, 0, 16, 1);
        harness.submit(3, 1, 0, 0, 1);
        harness.stopAdmission();
        harness.submit(4, 1, 0, 16, 1);
        assertEquals(List.of(1L, 2L, 3L, 4L), harness.refused);
        assertEquals(List.of(2L), harness.accepted);
    }

    @Test
    void shouldRequeueTheRequestsOfAFailedStepWithoutLosingRows()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(1, 1, 0, 30, 5);
        harness.wake();
        harness.complete(0);
        harness.complete(0);
        harness.fail(0);
        harness.run();
        assertEquals(34, harness.ended.get(0).captured());
        harness.oracle().assertRows(harness.scheduler, 1, 34);
    }

    @Test
    void shouldMoveRequestsOffALostRankAndFailThemWhenNoneIsLeft()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().ranks(2).build());
        harness.submit(1, 1, 0, 30, 5);
        harness.submit(2, 2, 0, 30, 5);
        harness.wake();
        assertEquals(2, harness.inFlight.size());
        harness.lose(0);
        harness.complete(1);
        // Request 1 may be the reason: until it has got further, it shares no step.
        assertEquals(1, harness.inFlight.get(1).rows().size());
        harness.lose(1);
        assertEquals(List.of("FAILED", "FAILED"), harness.ended.stream().map(SchedulerHarness.Ended::reason).toList());
        harness.submit(3, 1, 0, 16, 1);
        assertEquals(List.of(3L), harness.refused);
    }

    @Test
    void shouldIgnoreCompletionsOfAFormerEpoch()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(1, 1, 1, 30, 2);
        harness.wake();
        final SchedulerHarness.Step stale = harness.inFlight.get(0);
        harness.reset(false);
        assertEquals(1, harness.inFlight.get(0).epoch());
        harness.complete(stale);
        assertEquals(1, harness.scheduler.ignoredCompletions());
        harness.run();
        assertEquals(31, harness.ended.get(0).captured());
    }

    @Test
    void shouldShareNothingAcrossACacheReset()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(1, 1, 2, 40, 2);
        harness.wake();
        harness.resetCache();
        harness.run();
        harness.submit(2, 1, 2, 40, 2);
        harness.wake();
        assertEquals(List.of(new SchedulerHarness.Row(2, 0, 40)), harness.inFlight.get(0).rows());
    }

    @Test
    void shouldHonourRankHints()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().ranks(3).maxRunning(1).build());
        harness.submit(1, 1, 0, 16, 2, SchedulerHarness.Options.rank(2));
        harness.submit(2, 1, 0, 16, 2, SchedulerHarness.Options.rank(2));
        harness.submit(3, 1, 0, 16, 2, SchedulerHarness.Options.rank(2).relaxed(true));
        harness.wake();
        assertEquals(1, harness.inFlight.get(2).rows().get(0).requestId());
        assertEquals(3, harness.inFlight.get(0).rows().get(0).requestId());
        harness.run();
        assertEquals(3, harness.ended.size());
    }

    @Test
    void shouldNotLetAStrictHintToAFullRankHoldUpTheOthers()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().ranks(2).maxRunning(1).build());
        harness.submit(1, 1, 0, 16, 50, SchedulerHarness.Options.rank(0));
        harness.wake();
        harness.submit(2, 1, 0, 16, 2, SchedulerHarness.Options.rank(0));
        harness.submit(3, 1, 0, 16, 2);
        harness.wake();
        assertEquals(3, harness.inFlight.get(1).rows().get(0).requestId());
        harness.complete(1);
        harness.complete(1);
        assertFalse(harness.scheduler.wantsWake(), "request 2 waits for rank 0, and no Wake can help it");
    }

    @Test
    void shouldKeepABurstOfPlacementsWithinTheBoundOfAGroup()
    {
        final SchedulerHarness harness = new SchedulerHarness(SchedulerConfig.builder().ranks(128).kvBlocks(1024).build());
        for (int id = 1; id <= 128 * 256; id++)
        {
            harness.submit(id, id, 0, 16, 1);
        }
        harness.wake();
        assertTrue(harness.groups.get(harness.groups.size() - 1).length < GroupWriter.MAX_GROUP_BYTES / 2);
        harness.run();
        assertEquals(128 * 256, harness.ended.size());
    }

    @Test
    void shouldShareNoRowsAcrossAGeneration()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(1, 1, 1, 17, 5);
        harness.wake();
        harness.complete(0);
        harness.resetCache();
        harness.fail(0);
        harness.complete(0);
        harness.submit(2, 1, 1, 17, 1);
        harness.run();
        assertEquals(16, harness.ended.get(0).inherited() + harness.ended.get(1).inherited());
        harness.oracle().assertRows(harness.scheduler, 1, 21);
        harness.oracle().assertRows(harness.scheduler, 2, 17);
        assertFalse(Arrays.equals(harness.scheduler.rows(1).copy(0, 16).ids(), harness.scheduler.rows(2).copy(0, 16).ids()));
    }

    @Test
    void shouldCountABlockToTheGenerationItsRequestWasAdmittedIn()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().stepTokens(16).build());
        harness.submit(1, 1, 2, 33, 5);
        harness.wake();
        harness.resetCache();
        harness.complete(0);
        // The second block is allocated after the reset, but follows a first block computed before it.
        harness.complete(0);
        harness.complete(0);
        harness.complete(0);
        harness.fail(0);
        harness.run();
        harness.submit(2, 1, 2, 33, 1);
        harness.run();
        assertEquals(32, harness.ended.get(1).inherited());
        harness.oracle().assertRows(harness.scheduler, 1, 37);
        harness.oracle().assertRows(harness.scheduler, 2, 33);
    }

    @Test
    void shouldRefuseHashesOutOfRangeAndSurviveRepeatedOnes()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submitHashed(1, 16, 1, 0);
        harness.submitHashed(2, 32, 1, 5, -7);
        harness.submitHashed(3, 32, 1, 5);
        assertEquals(List.of(1L, 2L, 3L), harness.refused);
        for (int id = 4; id < 8; id++)
        {
            harness.submitHashed(id, 33, 2, 77, 77);
            harness.run();
        }
        assertEquals(4, harness.ended.size());
        assertEquals(16, harness.scheduler.blocks(0).allocator().allocatableCount());
    }

    @Test
    void shouldRefuseMoreThanTheQueueHolds()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().maxQueued(2).build());
        for (int id = 1; id <= 3; id++)
        {
            harness.submit(id, 1, 0, 16, 1);
        }
        assertEquals(List.of(3L), harness.refused);
    }

    @Test
    void shouldNeverLetTimeGoBack()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.tickAt(500);
        harness.tickAt(100);
        assertEquals(500, harness.scheduler.timeNanos());
    }

    @Test
    void shouldRefuseMoreExpertsThanACaptureBufferCanName()
    {
        assertEquals(32_768, small().capture(new ModelShape(1, 32_768, 1)).build().capture().experts());
        assertThrows(ConfigException.class, () -> small().capture(new ModelShape(1, 32_769, 1)).build());
    }

    @Test
    void shouldRefuseShapesWhoseRowsOutgrowABlockOrAStep()
    {
        assertThrows(ConfigException.class,
            () -> small().blockSizeTokens(65_536).capture(new ModelShape(1024, 512, 512)).build());
        assertThrows(ConfigException.class, () -> small().stepTokens(1 << 24).capture(new ModelShape(58, 256, 8)).build());
        assertThrows(ConfigException.class, () -> small().stepTokens(1 << 24).capture(null).blockSizeTokens(1).build());
    }

    @Test
    void shouldWithdrawAStepWhoseRowsAreCutShortOrDoNotMatchTheirChecksum()
    {
        for (final int rowsLength : new int[] {0, 16 * 4})
        {
            final SchedulerHarness harness = new SchedulerHarness(small().build());
            harness.submit(1, 1, 0, 16, 1);
            harness.wake();
            final D2hCompleteEncoder message = harness.writer.d2hComplete().timeNanos(9).step(1).epoch(0).rank(0)
                .rowCount(16).rowBytes(4).rowsChecksum(1).rowForm(RowForm.INLINE);
            message.entriesCount(1).next().start(0).accepted((short)1);
            message.tokensCount(1).next().tokenId(5);
            message.impossibleRowsCount(0);
            message.logprobsCount(0);
            message.putRows(new byte[rowsLength], 0, rowsLength);
            harness.apply(null);
            assertEquals(List.of("the completion of step 1 brings " + (rowsLength == 0 ? "0 of 64 bytes of routed-expert " +
                "rows" : "routed-expert rows that do not match their checksum")), harness.withdrawn);
            assertEquals(2, harness.inFlight.get(0).step(), "the request starts over");
            harness.run();
            assertEquals("LENGTH", harness.ended.get(0).reason());
        }
    }

    @Test
    void shouldWithdrawAStepWithResultsThatDoNotFitIt()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(1, 1, 0, 16, 2);
        harness.wake();
        final SchedulerHarness.Step step = harness.inFlight.get(0);
        harness.complete(
            new SchedulerHarness.Step(step.epoch(), step.rank(), step.step(), step.tokens() - 1, step.rows()));
        assertEquals(
            List.of("the completion of step 1 brings 15 routed-expert rows of 4 bytes in the form INLINE for 16 tokens"),
            harness.withdrawn);
        harness.run();
        assertEquals(List.of(2), harness.ended.stream().map(SchedulerHarness.Ended::generated).toList());
    }

    @Test
    void shouldRunWithoutCaptureAndWithoutPrefixCaching()
    {
        final SchedulerHarness harness =
            new SchedulerHarness(small().capture(null).prefixCaching(false).evictionPolicy(EvictionPolicy.REF_ZERO).build());
        harness.submit(1, 1, 2, 40, 3);
        harness.submit(2, 1, 2, 40, 3);
        harness.run();
        assertEquals(2, harness.ended.size());
        assertEquals(16, harness.scheduler.blocks(0).allocator().totalAvailable());
    }

    @Test
    void shouldGiveTheSameGroupsForTheSameInputs()
    {
        final SchedulerHarness first = new SchedulerHarness(small().kvBlocks(6).digestInterval(3).build());
        final SchedulerHarness second = new SchedulerHarness(small().kvBlocks(6).digestInterval(3).build());
        for (final SchedulerHarness harness : List.of(first, second))
        {
            harness.submit(1, 1, 1, 30, 40);
            harness.submit(2, 1, 1, 30, 40);
            harness.run();
        }
        assertEquals(first.groups.size(), second.groups.size());
        for (int i = 0; i < first.groups.size(); i++)
        {
            assertArrayEquals(first.groups.get(i), second.groups.get(i), "group " + i);
        }
    }
}
