// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.event.EventReader;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.InputWriter;
import io.signalbox.event.RowsChecksum;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.CommitEncoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.D2hCompleteEncoder;
import io.signalbox.event.codec.EntryVerdict;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedEncoder;
import io.signalbox.event.codec.RowForm;
import io.signalbox.event.codec.ScheduleEncoder;
import io.signalbox.event.codec.TableChangeKind;
import io.signalbox.event.codec.WeightsWay;
import io.signalbox.experts.ModelShape;
import io.signalbox.report.RunReport.ExpertSkew;
import io.signalbox.report.RunReport.LatencySummary;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.TieRule;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.RunFold;
import io.signalbox.stats.LiveFigures;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.sbe.MessageEncoderFlyweight;
import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/**
 * Hand-made inputs through the real scheduler, so that every figure can be checked by counting.
 */
class ReportListenerTest
{
    private static final SchedulerConfig NO_CAPTURE = SchedulerConfig.builder().ranks(1).kvBlocks(11).build();
    private static final SchedulerConfig CAPTURE = SchedulerConfig.builder()
        .ranks(1).kvBlocks(11).capture(new ModelShape(2, 4, 1)).build();

    private final InputWriter inputs = new InputWriter();
    private final GroupWriter group = new GroupWriter(1024);
    private Scheduler scheduler;
    /** Of requests that are submitted from now on; -1: none. */
    private long deadlineNanos = -1;
    private ReportListener report;
    private RunFold fold;
    private final Plans plans = new Plans();

    private void start(final SchedulerConfig config)
    {
        scheduler = new Scheduler(config);
        report = new ReportListener(config);
        fold = RunFold.of(report);
    }

    private void apply(final DirectBuffer chunkedRows)
    {
        group.reset();
        scheduler.apply(inputs.buffer(), 0, inputs.length(), chunkedRows, 0, group);
        fold.onGroup(group.buffer(), 0, group.length());
        plans.readGroup(group.buffer(), 0, group.length());
    }

    /** Where the entries of each rank's plan start, and whether they sample. */
    private final class Plans extends EventReader
    {
        private final Map<Integer, int[]> starts = new HashMap<>();
        private final Map<Integer, boolean[]> samples = new HashMap<>();

        @Override
        protected void onSchedule(final StepView plan)
        {
            final int[] start = new int[plan.entryCount()];
            final boolean[] sampling = new boolean[plan.entryCount()];
            for (int entry = 0; entry < start.length; entry++)
            {
                start[entry] = plan.start(entry);
                sampling[entry] = plan.samples(entry);
            }
            starts.put(plan.rank(), start);
            samples.put(plan.rank(), sampling);
        }

        /** One token for each entry of the rank's plan that samples. */
        private void writeTokens(final D2hCompleteEncoder message, final int rank)
        {
            int sampled = 0;
            final D2hCompleteEncoder.EntriesEncoder entries = message.entriesCount(starts.get(rank).length);
            for (int entry = 0; entry < starts.get(rank).length; entry++)
            {
                entries.next().start(starts.get(rank)[entry]).accepted((short)(samples.get(rank)[entry] ? 1 : 0));
                sampled += samples.get(rank)[entry] ? 1 : 0;
            }
            final D2hCompleteEncoder.TokensEncoder tokens = message.tokensCount(sampled);
            for (int i = 0; i < sampled; i++)
            {
                tokens.next().tokenId(7);
            }
            message.impossibleRowsCount(0);
            message.logprobsCount(0);
        }
    }

    private void submit(final long nanos, final long requestId, final int promptTokens, final int outputTokens)
    {
        submit(nanos, requestId, promptTokens, outputTokens, -1, -1);
    }

    private void submit(
        final long nanos,
        final long requestId,
        final int promptTokens,
        final int outputTokens,
        final long conversationId,
        final int rankHint)
    {
        final UnsafeBuffer hashes = new UnsafeBuffer(new byte[promptTokens / 16 * Long.BYTES]);
        for (int i = 0; i < promptTokens / 16; i++)
        {
            hashes.putLong(i * Long.BYTES, i + 1);
        }
        inputs.submit()
            .timeNanos(nanos).requestId(requestId).conversationId(conversationId).predecessorId(-1).thinkTimeNanos(0)
            .deadlineNanos(deadlineNanos).samplingSeed(0).promptTokens(promptTokens).maxNewTokens(outputTokens)
            .rowsFrom(-1).priority(0).rankHint(rankHint).temperature(1.0f).topP(1.0f).rankHintRelaxed(Flag.NO)
            .putBlockHashes(hashes, 0, hashes.capacity()).putCacheKey(hashes, 0, 0).putTokens(hashes, 0, 0)
            .putHashChain(hashes, 0, 0).putStopTokens(hashes, 0, 0);
        apply(null);
    }

    private void wake(final long nanos)
    {
        inputs.wake().timeNanos(nanos);
        apply(null);
    }

    private void complete(final long nanos, final long step, final byte... rows)
    {
        final RowForm form = rows.length == 0 ? RowForm.NONE : RowForm.INLINE;
        final UnsafeBuffer captured = new UnsafeBuffer(rows);
        complete(nanos, step, form, captured).putRows(rows, 0, rows.length);
        apply(null);
    }

    private D2hCompleteEncoder complete(
        final long nanos, final long step, final RowForm form, final UnsafeBuffer rows)
    {
        final D2hCompleteEncoder message = inputs.d2hComplete()
            .timeNanos(nanos).step(step).epoch(0).rank(0)
            .computeNanos(0).rowCount(rows.capacity() / 2).rowBytes(form == RowForm.NONE ? 0 : 2)
            .rowsChecksum(new RowsChecksum().of(rows, 0, rows.capacity())).rowForm(form);
        plans.writeTokens(message, 0);
        return message;
    }

    @Test
    void shouldMeasureOneRequestAsItsClientSeesIt()
    {
        start(NO_CAPTURE);
        submit(100, 1, 40, 3);
        wake(100);
        complete(1100, 1);
        complete(1600, 2);
        complete(2300, 3);
        final RunReport figures = report.report();
        assertEquals(new RunReport.Requests(1, 1, 0, 0, 0, 0, 0, 0, null, null), figures.requests());
        assertEquals(new LatencySummary(1, 1000.0, 1000L, 1000L, 1000L, 1000L), figures.latency().ttft());
        assertEquals(new LatencySummary(2, 600.0, 500L, 700L, 700L, 700L), figures.latency().itl());
        assertEquals(new LatencySummary(1, 600.0, 600L, 600L, 600L, 600L), figures.latency().tpot());
        assertEquals(new LatencySummary(1, 2200.0, 2200L, 2200L, 2200L, 2200L), figures.latency().e2e());
        assertEquals(new RunReport.Steps(3, 0, 42, List.of(42L), 0, 0, 0, 1), figures.steps());
        assertEquals(2200, figures.simulatedNanos());
        assertEquals(3, figures.throughput().outputTokens());
        assertEquals(3 / 2200e-9, figures.throughput().outputTokensPerSecond(), 1e-6);
        assertEquals(1 / 2200e-9, figures.throughput().completedRequestsPerSecond(), 1e-6);
        // Three of ten blocks, from the wake at 100 to the end at 2,300.
        assertEquals(0.3, figures.blockOccupancy().get(0).peak());
        assertEquals(0.3, figures.blockOccupancy().get(0).mean(), 1e-12);
        assertNull(figures.routedExperts().load());
    }

    private void tell(final LiveFigures live, final MessageEncoderFlyweight output)
    {
        group.end(MessageHeaderEncoder.ENCODED_LENGTH + output.encodedLength());
        fold.onGroup(group.buffer(), 0, group.length());
        live.onGroup(group.buffer(), 0, group.length());
        group.reset();
        inputs.wake().timeNanos(20);
        group.append(inputs.buffer(), 0, inputs.length());
    }

    /** A plan that admits request 1 with blocks, the first of which another step computes. */
    private ScheduleEncoder admission(final int rank, final int matchedBlocks)
    {
        final ScheduleEncoder plan = new ScheduleEncoder()
            .wrapAndApplyHeader(group.buffer(), group.begin(), new MessageHeaderEncoder())
            .step(5).epoch(0).rank(rank).tokens(0).weightGeneration(0);
        plan.admittedCount(1).next().requestId(1).matchedBlocks(matchedBlocks).resumed(Flag.NO);
        plan.evictedCount(0);
        plan.tableChangesCount(1).next().requestId(1).blockIndex(0).blockId(3).issue(1)
            .kind(TableChangeKind.MATCHED_PENDING);
        plan.pendingCount(0);
        plan.entriesCount(0);
        return plan;
    }

    /** Each rank numbers its own steps: a request is admitted again in a step with the number of its first one. */
    @Test
    void shouldCountOneAdmissionIfTheStepsOfTwoRanksHaveOneNumber()
    {
        final SchedulerConfig config = SchedulerConfig.builder().ranks(2).kvBlocks(11).build();
        final LiveFigures live = new LiveFigures(2, 11, 16, 0, "a", "b");
        start(config);
        submit(10, 1, 40, 2);
        live.onGroup(group.buffer(), 0, group.length());
        group.reset();
        inputs.wake().timeNanos(20);
        group.append(inputs.buffer(), 0, inputs.length());
        tell(live, admission(0, 1));
        final CommitEncoder commit = new CommitEncoder()
            .wrapAndApplyHeader(group.buffer(), group.begin(), new MessageHeaderEncoder())
            .step(5).epoch(0).rank(0).missingRows(0).impossibleRows(0);
        commit.entriesCount(1).next().requestId(1).start(0).advance(30).rejected((short)0).afterStop((short)0)
            .emitted((short)0).verdict(EntryVerdict.LIVE);
        commit.tokensCount(0);
        commit.spansCount(0);
        commit.registeredCount(0);
        commit.logprobsCount(0);
        tell(live, commit);
        final RequeuedEncoder requeued = new RequeuedEncoder()
            .wrapAndApplyHeader(group.buffer(), group.begin(), new MessageHeaderEncoder())
            .requestId(1).rank(0).reason(RequeueReason.STEP_WITHDRAWN);
        requeued.releasedCount(0);
        tell(live, requeued);
        tell(live, admission(1, 2));
        final RunReport.PrefixCache cache = report.report().prefixCache();
        assertEquals(16, cache.matchedTokens());
        assertEquals(1, cache.pendingBlocks());
        assertEquals(16, live.stats(null).prefixCache().hitTokens());
    }

    /** Two clocks stamp inputs, and the clock of the results is slower: the time of the run does not decrease. */
    @Test
    void shouldMeasureWithATimeThatDoesNotDecrease()
    {
        start(NO_CAPTURE);
        submit(100, 1, 40, 2);
        wake(200);
        complete(50, 1);
        complete(300, 2);
        final RunReport figures = report.report();
        assertEquals(new LatencySummary(1, 100.0, 100L, 100L, 100L, 100L), figures.latency().ttft());
        assertEquals(new LatencySummary(1, 100.0, 100L, 100L, 100L, 100L), figures.latency().itl());
        assertEquals(200, figures.simulatedNanos());
    }

    /** The time of a run begins with a refused prompt too, although the clock began a million seconds earlier. */
    @Test
    void shouldCountTimeFromTheFirstSubmitIfItIsRefused()
    {
        start(NO_CAPTURE);
        final long origin = 1_000_000_000_000_000L;
        submit(origin, 1, 400, 3);
        submit(origin + 200, 2, 40, 1);
        wake(origin + 300);
        complete(origin + 1000, 1);
        final RunReport figures = report.report();
        assertEquals(new RunReport.Requests(2, 1, 0, 0, 0, 0, 1, 0, null, null), figures.requests());
        assertEquals(1000, figures.simulatedNanos());
        assertEquals(0.3 * 700 / 1000, figures.blockOccupancy().get(0).mean(), 1e-12);
    }

    @Test
    void shouldCountPrefixHitsOfFirstAdmissions()
    {
        start(NO_CAPTURE);
        submit(0, 1, 40, 1);
        wake(0);
        complete(10, 1);
        submit(20, 2, 50, 1);
        wake(20);
        complete(30, 2);
        final RunReport.PrefixCache cache = report.report().prefixCache();
        assertEquals(32, cache.matchedTokens());
        assertEquals(90, cache.promptTokens());
        assertEquals(2, cache.matchedBlocks());
        assertEquals(5, cache.promptBlocks());
        assertEquals(32.0 / 90, cache.tokenHitRate());
        assertEquals(0.4, cache.blockHitRate());
        assertEquals(new RunReport.RankPrefixCache(0, 32.0 / 90, 0.4, 2, 90, 5), cache.ranks().get(0));
    }

    /** Ten blocks: two prompts of five blocks leave none for a token of either. */
    @Test
    void shouldCountARequestOnceThatIsResumedAfterAPreemption()
    {
        start(SchedulerConfig.builder().ranks(1).kvBlocks(11).prefixCaching(false).router("default").build());
        submit(0, 1, 80, 2);
        submit(0, 2, 80, 2);
        wake(0);
        complete(10, 1);
        complete(20, 2);
        complete(30, 3);

        final RunReport run = report.report();
        assertEquals(1, run.steps().preemptions());
        assertEquals(2, run.prefixCache().ranks().get(0).admittedRequests());
        assertEquals(160, run.prefixCache().ranks().get(0).promptTokens());
    }

    @Test
    void shouldCountMissedDeadlinesAndAbortsByNewWeights()
    {
        start(NO_CAPTURE);
        submit(0, 1, 16, 5);
        wake(5);
        inputs.control().timeNanos(6).requestId(-1).kind(ControlKind.NEW_WEIGHTS).way(WeightsWay.ABORT).note("");
        apply(null);
        complete(9, 1);
        deadlineNanos = 20;
        submit(10, 2, 16, 5);
        inputs.tick().timeNanos(20);
        apply(null);
        assertEquals(new RunReport.Requests(2, 0, 0, 1, 1, 0, 0, 0, null, null), report.report().requests());
    }

    @Test
    void shouldTellApartHowRequestsEnd()
    {
        start(NO_CAPTURE);
        submit(0, 1, 1000, 1);
        submit(0, 2, 16, 1);
        submit(0, 3, 16, 1);
        inputs.cancel().timeNanos(5).requestId(3);
        apply(null);
        wake(5);
        submit(6, 4, 16, 5);
        assertEquals(new RunReport.Requests(4, 0, 1, 0, 0, 0, 1, 2, null, null), report.report().requests());
        complete(9, 1);
        inputs.backendFault()
            .timeNanos(12).step(2).epoch(0).rank(0).faultClass(FaultClass.RANK_LOST).detail("gone");
        apply(null);
        assertEquals(new RunReport.Requests(4, 1, 1, 0, 0, 1, 1, 0, null, null), report.report().requests());
        assertEquals(Double.NaN, report.report().latency().tpot().meanNanos());
        assertEquals(1, report.report().latency().e2e().count());
    }

    @Test
    void shouldCountExpertsOfInlineAndOfChunkedRows()
    {
        start(CAPTURE);
        submit(0, 1, 3, 2);
        wake(0);
        // Layer 0 takes experts 0, 0, 1; layer 1 takes 3, 3, 3.
        complete(10, 1, (byte)0, (byte)3, (byte)0, (byte)3, (byte)1, (byte)3);
        final UnsafeBuffer chunk = new UnsafeBuffer(new byte[] {2, 3});
        complete(20, 2, RowForm.CHUNKED, chunk).putRows(new byte[0], 0, 0);
        report.onChunkedRows(chunk, 0, 1);
        apply(chunk);
        final RunReport.RowCounts experts = report.report().routedExperts();
        assertEquals(4, experts.captured());
        assertEquals(0, experts.inherited());
        assertEquals(0, experts.missing());
        // Layer 0: 2 1 1 0 around a mean of 1; layer 1: 0 0 0 4.
        assertEquals(List.of(
            new ExpertSkew(2.0, StrictMath.sqrt(0.5)), new ExpertSkew(4.0, StrictMath.sqrt(3.0))), experts.layers());
        assertEquals(new ExpertSkew(4.0, StrictMath.sqrt(14.0 / 8.0)), experts.load());
    }

    @Test
    void shouldNotCountRowsOfACompletionThatCameTooLate()
    {
        start(CAPTURE);
        submit(0, 1, 3, 2);
        wake(0);
        inputs.stepTimedOut().timeNanos(5).step(1).epoch(0).rank(0);
        apply(null);
        complete(10, 1, (byte)0, (byte)3, (byte)0, (byte)3, (byte)1, (byte)3);

        assertEquals(new ExpertSkew(Double.NaN, Double.NaN), report.report().routedExperts().load());
    }

    @Test
    void shouldNotCountRowsThatAreMarkedAsMissing()
    {
        for (final ModelShape shape : List.of(new ModelShape(2, 4, 1), new ModelShape(2, 256, 4), new ModelShape(1, 256, 2),
            new ModelShape(2, 300, 2), new ModelShape(1, 65_536, 2), new ModelShape(1, 65_537, 1)))
        {
            final UnsafeBuffer rows = new UnsafeBuffer(new byte[4 * shape.rowBytes()]);
            rows.setMemory(0, rows.capacity(), (byte)-1);
            for (int i = 0; i < 2 * shape.rowIds(); i++)
            {
                final int at = shape.rowBytes() + i * shape.idBytes();
                rows.setMemory(at, shape.idBytes(), (byte)0);
                rows.putByte(at, (byte)(shape.idBytes() == 1 ? i % shape.topK() : 0x90 + i % shape.topK()));
            }
            final ExpertLoad load = new ExpertLoad(shape);
            load.add(rows, 0, 4);
            // Two sound rows: per layer topK experts with two tokens each, and none else.
            final ExpertSkew skew = load.plus(new ExpertLoad(shape)).layers().get(0);
            assertEquals((double)shape.experts() / shape.topK(), skew.maxOverMean(), 1e-9, shape.toString());
        }
    }

    @Test
    void shouldCountPlacementsByPolicyAndRule()
    {
        start(placing(2, "default", true));
        // Ranks 0 and 1 are both idle; then rank 1 alone has no load; the third names its rank.
        submit(0, 1, 40, 5);
        wake(0);
        submit(1, 2, 40, 5);
        wake(1);
        submit(2, 3, 40, 5, -1, 1);
        wake(2);
        assertEquals(new RunReport.Placements("default", 3, Map.of("default", 3L), 0, 1, 0, 0,
            Map.of(TieRule.FEWEST_REQUESTS_THEN_LOWEST_RANK, 1L)), report.report().placements());
    }

    @Test
    void shouldCountPlacementsOnTheRankOfTheConversation()
    {
        start(placing(2, "conversation", true));
        submit(0, 1, 40, 1, 9, -1);
        wake(0);
        submit(1, 2, 40, 1, 9, -1);
        wake(1);
        assertEquals(new RunReport.Placements("conversation", 2, Map.of("conversation", 2L), 0, 0, 1,
            0, Map.of()), report.report().placements());
    }

    @Test
    void shouldCountClosedGatesAndPoliciesThatGaveWay()
    {
        start(placing(1, "kv-aware", true));
        submit(0, 1, 40, 1);
        wake(0);
        assertEquals(1, report.report().placements().gateClosed(), "nothing is cached yet");
        complete(10, 1);
        submit(20, 2, 40, 1);
        wake(20);
        assertEquals(1, report.report().placements().gateClosed(), "32 of 40 tokens are cached");
        assertEquals(0, report.report().placements().byFallback());

        start(placing(1, "kv-aware", false));
        submit(0, 1, 40, 1);
        wake(0);
        assertEquals(1, report.report().placements().byFallback());
        assertEquals(Map.of("default", 1L), report.report().placements().byRouter());
    }

    private static SchedulerConfig placing(final int ranks, final String label, final boolean prefixCaching)
    {
        return SchedulerConfig.builder().ranks(ranks).kvBlocks(64).prefixCaching(prefixCaching)
            .router(RouterConfig.of(label)).build();
    }

    @Test
    void shouldReportZerosWhereNothingHappened()
    {
        start(CAPTURE);
        final RunReport figures = report.report();
        assertEquals(new RunReport.Requests(0, 0, 0, 0, 0, 0, 0, 0, null, null), figures.requests());
        assertEquals(new LatencySummary(0, Double.NaN, null, null, null, null), figures.latency().ttft());
        assertEquals(Double.NaN, figures.prefixCache().tokenHitRate());
        assertEquals(Double.NaN, figures.throughput().outputTokensPerSecond());
        assertEquals(new ExpertSkew(Double.NaN, Double.NaN), figures.routedExperts().load());
        assertEquals(Double.NaN, figures.blockOccupancy().get(0).mean());
    }
}
