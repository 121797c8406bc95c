// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.engine.FinishReason;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

import java.time.Duration;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineHarnessTest
{
    private static SchedulerConfig.Builder ranks(final int ranks, final int kvBlocks)
    {
        return SchedulerConfig.builder().ranks(ranks).kvBlocks(kvBlocks).blockSizeTokens(16).stepTokens(64)
            .capture(new ModelShape(3, 16, 2));
    }

    /** The worked example of the design: 40 prompt tokens, 3 to generate, 42 rows. */
    @Test
    void shouldShowOneRequestsLife()
    {
        try (EngineHarness engine = EngineHarness.of(ranks(1, 65).build()))
        {
            engine.request(1).prompt(40).generate(3).submit();
            engine.request(1).assertOpen().assertOnRank(0);
            engine.complete(0);
            engine.request(1).assertGenerated(1);
            engine.run();
            engine.request(1).assertEnded(FinishReason.LENGTH).assertGenerated(3).assertRows(42, 0);
            assertEquals(List.of("accepted 1", "placed 1 on rank 0", "scheduled step 1 of rank 0: 1@0+40",
                "committed step 1 of rank 0: 1 emits 1", "scheduled step 2 of rank 0: 1@40+1",
                "committed step 2 of rank 0: 1 emits 1", "scheduled step 3 of rank 0: 1@41+1",
                "committed step 3 of rank 0: 1 emits 1", "ended 1: LENGTH"), engine.events());
        }
    }

    @Test
    void shouldShowWhatASecondRequestInherits()
    {
        try (EngineHarness engine = EngineHarness.of(ranks(2, 65).build()))
        {
            engine.request(1).prompt(40).generate(1).submit();
            engine.run();
            engine.request(2).prompt(50).beginsLike(1, 35).generate(2).submit();
            engine.run();
            final int rank = engine.request(1).rank();
            engine.request(2).assertOnRank(rank).assertRows(51 - 32, 32);
            assertEquals(2, engine.request(2).matchedBlocks());
            engine.resetCache();
            engine.request(3).prompt(40).beginsLike(1, 40).generate(1).submit();
            engine.run();
            engine.request(3).assertRows(40, 0);
        }
    }

    @Test
    void shouldShowPreemptionsAndStillGenerateTheSame()
    {
        try (EngineHarness engine = EngineHarness.of(ranks(1, 8).prefixCaching(false).build()))
        {
            for (int i = 1; i <= 3; i++)
            {
                engine.request(i).prompt(30).generate(30).submit();
            }
            engine.run().assertAllAsTheModelSays();
            final int preemptions =
                engine.request(1).preemptions() + engine.request(2).preemptions() + engine.request(3).preemptions();
            assertTrue(preemptions > 0 || engine.events().toString().contains("paused"), engine.events().toString());
        }
    }

    @Test
    void shouldLetStepsFailAndRanksBeLost()
    {
        try (EngineHarness engine = EngineHarness.of(ranks(1, 65).depth(2).backOffNanos(1_000).build()))
        {
            engine.request(1).prompt(40).generate(5).submit();
            engine.complete(0).fail(0);
            engine.advance(Duration.ofMillis(1));
            engine.launch(0).complete(0);
            engine.lose(0);
            engine.run().assertAllAsTheModelSays();
            engine.request(1).assertEnded(FinishReason.LENGTH);
            engine.reset(0);
            engine.request(2).prompt(10).generate(2).submit();
            engine.request(3).prompt(10).generate(200).submit().cancel();
            engine.run();
            engine.request(2).assertGenerated(2);
            engine.request(3).assertEnded(FinishReason.CANCELLED);
            engine.request(4).prompt(100_000).submit().assertRefused();
        }
    }

    /** An assertion that cannot fail says nothing. */
    @Test
    void shouldNameWhatIsNotAsAsserted()
    {
        try (EngineHarness engine = EngineHarness.of(ranks(1, 65).build()))
        {
            final HarnessRequest request = engine.request(7).prompt(40).generate(3).submit();
            fails("request 7 has 0 tokens and not 1.", () -> request.assertGenerated(1));
            fails("request 7 has not ended; 0 tokens are visible.", () -> request.assertEnded(FinishReason.STOP));
            fails("request 7 is on rank 0 and not on rank 1.", () -> request.assertOnRank(1));
            fails("request 7 was submitted before; give another number.", request::submit);
            fails("request 8 was not submitted; call submit first.", () -> engine.request(8).tokens());
            fails("rank 0 has no step to launch; ", () -> engine.launch(0).launch(0));
            engine.run();
            fails("request 7 has ended.", request::assertOpen);
            fails("request 7 was not refused.", request::assertRefused);
            fails("request 7 ended by LENGTH and not by STOP.", () -> request.assertEnded(FinishReason.STOP));
            fails("request 7 has 42 captured and 0 inherited rows, not 41 and 1.", () -> request.assertRows(41, 1));
            // Another prompt than the one that was submitted: the model says something else.
            request.promptOf(1, 2, 3);
            fails("request 7 has the token ", () -> request.assertGenerated(3));
            fails("request 7 has the row [", () -> request.assertRows(42, 0));
            fails("rank 0 has no step to complete; the last decisions: [", () -> engine.complete(0));
        }
    }

    private static void fails(final String sentence, final Executable assertion)
    {
        final String message = assertThrows(AssertionError.class, assertion).getMessage();
        assertTrue(message.startsWith(sentence), message);
    }
}
