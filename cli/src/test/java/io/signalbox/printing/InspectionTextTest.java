// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.cli.JsonText;
import io.signalbox.engine.FinishReason;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.experts.WeightSpan;
import io.signalbox.inspect.HeldBlock;
import io.signalbox.inspect.LifeEvent;
import io.signalbox.inspect.LifeEvent.Candidate;
import io.signalbox.inspect.RequestInspection;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.inspect.RequestInspection.Restart;
import io.signalbox.inspect.RequestInspection.SubmittedIds;
import io.signalbox.inspect.RequestLife;
import io.signalbox.inspect.RequestLife.Submission;
import io.signalbox.journal.VoidedInput;
import io.signalbox.router.MatchGate;
import io.signalbox.router.TieRule;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Lives with everything that can happen in one, as no single simulated run has them. */
class InspectionTextTest
{
    private static final long MILLISECOND = 1_000_000L;
    static final RequestInspection INSPECTION = new RequestInspection(41, 3, List.of(
        new RequestLife(new Submission(500 * MILLISECOND, -1, -1, 1_200, 30, 4, 2, true), "call-7", null, List.of(
            new LifeEvent.Placed(501 * MILLISECOND, 2, "kv-aware", MatchGate.NONE, TieRule.HINT, 0, 0.0, true,
                List.of(new Candidate(2, 0.0, 1_200.0, 0.0, 0, 0, 0, 1, 0, 0))),
            new LifeEvent.Admitted(501 * MILLISECOND, 2, 7, 0, false),
            new LifeEvent.FirstToken(540 * MILLISECOND, 2, 7,
                List.of(12 * MILLISECOND, 0L, MILLISECOND, 25 * MILLISECOND, 2 * MILLISECOND)),
            new LifeEvent.Paused(540 * MILLISECOND, 2, 75),
            new LifeEvent.Continued(541 * MILLISECOND, 2),
            new LifeEvent.Preempted(541 * MILLISECOND, 2, 75),
            new LifeEvent.Admitted(560 * MILLISECOND, 2, 9, 74, true),
            new LifeEvent.Requeued(580 * MILLISECOND, 2, 75, "the GPU is gone"),
            new LifeEvent.Placed(580 * MILLISECOND, 0, "kv-aware", MatchGate.CLOSED, TieRule.LEAST_LOAD, 2, 812.5, true,
                List.of(new Candidate(0, 1_201.25, 1_200.0, 1.25, 1_016, 16, 0, 3, 0, 0),
                    new Candidate(1, 1_201.25, 1_200.0, 1.25, 1_017, 0, 0, 3, 0, 0))),
            new LifeEvent.Outdated(590 * MILLISECOND, 0, 75),
            new LifeEvent.Ended(601 * MILLISECOND, 0, FinishReason.CANCELLED, 5, 1_000, 100, 104,
                List.of(new WeightSpan(0, 1_202, 0), new WeightSpan(1_202, 1_204, 1)))),
            List.of(new HeldBlock(0, 17, 2, HeldBlock.Origin.MATCHED, 0, 11)), 5),
        new RequestLife(new Submission(700 * MILLISECOND, 9, 900 * MILLISECOND, 99_999, 0, 0, -1, false), null,
            RefusalReason.TOO_LONG_FOR_POOL, List.of(), List.of(), 0)),
        JournalEnd.CLOSED, 1_234, 800 * MILLISECOND, List.of(new Restart(1_180, 580 * MILLISECOND, 2, 3, 4)),
        List.of(new VoidedInput(7, "(record 7 cannot be replayed: planted)")), new SubmittedIds(2, 41, 41));

    @Test
    void shouldPrintEveryKindOfEvent()
    {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        InspectionText.print(new PrintStream(out, true, StandardCharsets.UTF_8), INSPECTION);
        assertEquals("""
            request           41, Submit 1 of 2
            submitted         at 0.500 s: 1,200 prompt tokens, at most 30 new ones, priority 4
                              no conversation, hint to rank 2, relaxed
                              its client calls it call-7
            accepted          yes
            placed            1.000 ms on rank 2 by kv-aware: the request named the rank, nothing was scored
                              no match gate, no fair-share cap, loads not normalised

            rank             score      new work     load term   load tokens   matched  match used  active requests
            2 *                  0          1200             0             0         0           0                1
            * chosen; 1 of 3 ranks were candidates

            admitted          1.000 ms on rank 2, step 7: 0 blocks matched
            first token       40.000 ms on rank 2, step 7: the TTFT
                              queue 12.000 ms + host 1.000 ms + device 25.000 ms + delivery 2.000 ms
            paused            40.000 ms on rank 2: 75 blocks kept, none left to add
            continued         41.000 ms on rank 2
            preempted         41.000 ms on rank 2: 75 blocks released
            resumed           60.000 ms on rank 2, step 9: 74 blocks matched
            requeued          80.000 ms on rank 2, since a step or the rank failed: 75 blocks released; the GPU is gone
            placed            80.000 ms on rank 0 by kv-aware: a tie, broken by lower load
                              match gate closed (matches count as 0), fair-share cap 2, loads divided by 812.5

            rank             score      new work     load term   load tokens   matched  match used  active requests
            0 *            1201.25          1200          1.25         1,016        16           0                3
            1              1201.25          1200          1.25         1,017         0           0                3
            * chosen; 2 of 3 ranks were candidates

            new weights       90.000 ms on rank 0: 75 blocks released
            ended             101.000 ms on rank 0: cancelled, 5 tokens generated
            routed experts    1,204 rows: 1,000 captured, 100 inherited, 104 missing
            weights           generation 0 from position 0, generation 1 from position 1,202

            request           41, Submit 2 of 2
            submitted         at 0.700 s: 99,999 prompt tokens, at most 0 new ones, priority 0
                              conversation 9, no rank hint
            accepted          no: refused, too long for pool

            restart           at record 1,180, 0.580 s: epoch 2 begins; withdrew 3 steps, requeued 4 requests
            void              record 7: (record 7 cannot be replayed: planted)
            journal           1,234 groups; closed
            """, out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldGiveTheSameEventsToPrograms()
    {
        final Map<String, String> json =
            JsonText.leaves(JsonDocument.text(RequestDocument.of(Path.of("runs", "0001"), INSPECTION)));
        final List<String> events = List.of(
            "placed", "admitted", "first-token", "paused", "continued", "preempted", "resumed", "requeued",
            "placed", "new-weights", "ended");
        for (int i = 0; i < events.size(); i++)
        {
            assertEquals(events.get(i), json.get("lives[0].events[" + i + "].event"));
        }
        assertEquals("40", json.get("lives[0].ttftMs"));
        assertEquals("25", json.get("lives[0].ttftParts.deviceMs"));
        assertEquals("hint", json.get("lives[0].events[0].tieRule"));
        assertEquals("2", json.get("lives[0].events[0].ranksExcluded"));
        assertEquals("812.5", json.get("lives[0].events[8].normaliser"));
        assertEquals("1.25", json.get("lives[0].events[8].candidates[1].loadTerm"));
        assertEquals("null", json.get("lives[0].submit.conversation"));
        assertEquals("call-7", json.get("lives[0].clientRequestId"));
        assertEquals("matched", json.get("lives[0].blocks[0].origin"));
        assertEquals("75", json.get("lives[0].events[9].releasedBlocks"));
        assertEquals("cancelled", json.get("lives[0].events[10].reason"));
        assertEquals("1", json.get("lives[0].events[10].weights[1].generation"));
        assertEquals("1202", json.get("lives[0].events[10].weights[1].from"));
        assertEquals("1204", json.get("lives[0].events[10].weights[1].to"));
        assertEquals("false", json.get("lives[1].accepted"));
        assertEquals("too-long-for-pool", json.get("lives[1].refusal"));
        assertEquals("200", json.get("lives[1].submit.deadlineMs"));
        assertEquals("null", json.get("lives[1].ttftMs"));
    }
}
