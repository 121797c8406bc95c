// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect.history;

import io.signalbox.event.CommitView;
import io.signalbox.event.CompletionView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.ContinuedDecoder;
import io.signalbox.event.codec.DecidingRouter;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.PausedDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.RowForm;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.inspect.LifeEvent;
import io.signalbox.inspect.TenantNames;
import io.signalbox.inspect.TimeWindow;
import io.signalbox.inspect.history.Happening.Kind;
import io.signalbox.journal.GroupSource;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.StateStart;
import io.signalbox.router.MatchGate;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.TieRule;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.FoldedMatches;
import io.signalbox.state.FoldedState;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import io.signalbox.state.RunStep;
import io.signalbox.state.StateFold;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Collects a {@link RunHistory} from the groups of a journal, which its caller reads. Used once. */
public final class HistoryCollector implements RunListener
{
    /** More than so many happenings or requeues are not kept: a page cannot show them. */
    private static final int MOST_KEPT = 100_000;

    private final TimeWindow window;
    private final JournalReader reader;
    private final String router;
    private final String fallback;
    private final int blockSizeTokens;
    private final int blocksPerRank;
    private final long firstNanos;
    private final Long2ObjectHashMap<PastRequest> live = new Long2ObjectHashMap<>();
    private final List<PastRequest> requests = new ArrayList<>();
    private final SlowestRequests slowest = new SlowestRequests();
    private final List<Happening> happenings = new ArrayList<>();
    private final List<Requeue> requeues = new ArrayList<>();
    private final Map<Integer, Happening> openLosses = new TreeMap<>();
    private final TenantNames tenants = new TenantNames();
    private final FoldedState ahead;
    private final FoldedState state;
    private final RunLevels levels;
    /** {@code null} before {@link #foldWith}. */
    private RunFold fold;
    /** {@code null} before the first group. */
    private TimeBins bins;
    private long originNanos;
    private long nowNanos;
    private long record;
    private long computeNanos;
    private PastRequest asked;
    private long completed;
    private long queuedArrivals;
    private long queuedCompletions;
    private long captured;
    private long inherited;
    private long missing;
    private long bytes;
    private long rowBytes;

    /**
     * @param isSimulated whether times count from the start of the run, which may be before its first event.
     * @param window      the part of the time that the history has.
     */
    public HistoryCollector(final StateStart start, final boolean isSimulated, final TimeWindow window)
    {
        this.window = window;
        reader = start.reader();
        final Map<String, String> settings = reader.settings();
        router = RouterConfig.label(settings);
        fallback = RouterConfig.fallbackLabel(settings);
        blockSizeTokens = reader.setting(SchedulerConfig.BLOCK_SIZE_TOKENS);
        // The dummy block is never handed out.
        blocksPerRank = reader.setting(SchedulerConfig.KV_BLOCKS) - 1;
        firstNanos = isSimulated && start.state() == null ? 0 : Long.MIN_VALUE;
        ahead = start.state();
        state = ahead != null ? ahead : new FoldedState(reader.stateShape());
        levels = new RunLevels(state);
    }

    /** The fold that the caller shows each group after {@link #begin}: for this collector and for another listener. */
    public RunFold foldWith(final RunListener other)
    {
        fold = RunFold.of(other, new StateFold(state), this).behind(ahead);
        return fold;
    }

    /** Begins the next group of the journal. */
    public void begin(final GroupSource groups)
    {
        // Different clocks may stamp the inputs of an engine; the time of a run never decreases, in the fold neither.
        nowNanos = bins == null && ahead == null ? groups.timeNanos() :
            Math.max(bins == null ? ahead.timeNanos() : nowNanos, groups.timeNanos());
        record = groups.sequence();
        if (bins == null)
        {
            originNanos = window.fromNanos() != Long.MIN_VALUE ? window.fromNanos() :
                firstNanos != Long.MIN_VALUE ? Math.min(firstNanos, nowNanos) : nowNanos;
            bins = new TimeBins(RunHistory.rows(reader.ranks()), originNanos);
            levels.begin(bins, originNanos, window.toNanos());
        }
        if (isInside())
        {
            openLosses.values().forEach(happenings::add);
            openLosses.clear();
            bytes += groups.groupLength();
        }
    }

    @Override
    public void onGroupEnd()
    {
        levels.update(nowNanos);
    }

    /** What was collected; also of a journal without a group. */
    public RunHistory history()
    {
        if (bins == null)
        {
            bins = new TimeBins(RunHistory.rows(reader.ranks()), 0);
            levels.begin(bins, 0, Long.MAX_VALUE);
        }
        final long endNanos = Math.max(originNanos, Math.min(nowNanos, window.toNanos()));
        levels.finish(endNanos);
        requests.sort(Comparator.comparingLong(PastRequest::submitNanos).thenComparingLong(PastRequest::id));
        fold.live().forEach(this::update);
        live.values().forEach(request -> request.placements = List.of());
        return new RunHistory(originNanos, endNanos, reader.ranks(), blocksPerRank, blockSizeTokens, requests, bins,
            happenings, requeues, levels.mostWaiting(), levels.mostWaitingNanos(), new RunTotals(completed,
            levels.queuedNanos(), queuedArrivals, queuedCompletions, captured, inherited, missing, bytes, rowBytes));
    }

    private boolean isInside()
    {
        return nowNanos >= window.fromNanos() && nowNanos < window.toNanos();
    }

    private void add(final int row, final double amount)
    {
        if (isInside())
        {
            bins.add(row, nowNanos, amount);
        }
    }

    @Override
    public void onSubmit(final SubmitDecoder submit)
    {
        asked = null;
        if (isInside())
        {
            queuedArrivals += levels.isQueued() ? 1 : 0;
            asked = new PastRequest(submit, nowNanos, tenants.of(submit));
            requests.add(asked);
        }
    }

    @Override
    public void onAccepted(final RunRequest request)
    {
        if (asked != null)
        {
            live.put(request.id(), asked);
        }
    }

    @Override
    public void onRefused(final RunRequest request, final RefusedDecoder answer)
    {
        if (asked != null)
        {
            asked.end = "refused: " + words(answer.reason());
            asked.totalNanos = 0;
        }
    }

    @Override
    public void onPlaced(final RunRequest placed, final PlacedDecoder decision)
    {
        levels.touch(decision.rank());
        final PastRequest request = live.get(decision.requestId());
        if (request == null)
        {
            return;
        }
        request.rank = decision.rank();
        final List<LifeEvent.Candidate> candidates = new ArrayList<>();
        for (final PlacedDecoder.CandidatesDecoder row : decision.candidates())
        {
            candidates.add(new LifeEvent.Candidate(row.rank(), row.score(), row.newWork(), row.loadTerm(),
                row.loadTokens(), FoldedMatches.of(decision, row, null), row.matchUsed(), row.activeRequests(),
                row.deferredTokens(), row.evictedTokens()));
        }
        candidates.sort(Comparator.comparingInt(LifeEvent.Candidate::rank));
        final boolean isFallback = decision.decidedBy() == DecidingRouter.FALLBACK;
        request.placements.add(new LifeEvent.Placed(nowNanos, decision.rank(), isFallback ? fallback : router,
            MatchGate.valueOf(decision.gate().name()), TieRule.valueOf(decision.tieRule().name()), decision.target(),
            decision.normaliser(), decision.matchesRead() == Flag.YES, candidates));
    }

    @Override
    public void onStep(final StepView plan)
    {
        levels.touch(plan.rank());
        add(RunHistory.tokens(plan.rank()), plan.tokens());
    }

    @Override
    public void onCompletion(final CompletionView completion)
    {
        computeNanos = completion.computeNanos();
        if (isInside() && completion.rowForm() != RowForm.NONE)
        {
            final long length = (long)completion.rowCount() * completion.rowBytes();
            rowBytes += length;
            bytes += completion.isChunked() ? length : 0;
        }
    }

    @Override
    public void onLanded(final RunStep landed, final CommitView step)
    {
        levels.touch(step.rank());
        bins.addLevel(RunHistory.computed(step.rank()), Math.max(originNanos, nowNanos - computeNanos),
            Math.min(nowNanos, window.toNanos()), 1);
        add(RunHistory.EMITTED, step.tokenCount());
    }

    @Override
    public void onRequeued(final RunRequest again, final RequeuedDecoder requeued)
    {
        levels.touch(requeued.rank());
        final boolean isPreempted = requeued.reason() == RequeueReason.PREEMPTED;
        if (isPreempted)
        {
            add(RunHistory.PREEMPTED, 1);
        }
        else if (isInside() && requeues.size() < MOST_KEPT)
        {
            requeues.add(new Requeue(nowNanos, requeued.requestId(), requeued.rank()));
        }
    }

    @Override
    public void onPaused(final RunRequest request, final PausedDecoder paused)
    {
        levels.pause(paused.rank());
    }

    @Override
    public void onContinued(final RunRequest request, final ContinuedDecoder continued)
    {
        levels.touch(continued.rank());
    }

    @Override
    public void onEnded(final RunRequest ended, final FreeDecoder end)
    {
        levels.touch(end.rank());
        update(ended);
        if (isInside())
        {
            final boolean isCompleted = end.reason() == FreeReason.LENGTH || end.reason() == FreeReason.STOP;
            completed += isCompleted ? 1 : 0;
            queuedCompletions += isCompleted && levels.isQueued() ? 1 : 0;
            captured += end.capturedRows();
            inherited += end.inheritedRows();
            missing += end.missingRows();
        }
        final PastRequest request = live.remove(end.requestId());
        if (request != null)
        {
            request.end = words(end.reason());
            request.totalNanos = nowNanos - request.submitNanos;
            slowest.add(request);
        }
    }

    @Override
    public void onFault(final BackendFaultDecoder fault)
    {
        final FaultClass kind = fault.faultClass();
        happened(kind == FaultClass.RANK_LOST ? Kind.RANK_LOST : kind == FaultClass.RANK_GIVEN_UP ? Kind.RANK_GIVEN_UP :
            Kind.STEP_FAILED, fault.rank(), fault.detail());
    }

    @Override
    public void onTimedOut(final StepTimedOutDecoder step)
    {
        happened(Kind.STEP_TIMED_OUT, step.rank(), "");
    }

    @Override
    public void onReset(final BackendResetDecoder reset)
    {
        levels.touch(reset.rank());
        happened(reset.restart() == Flag.YES ? Kind.RESTART : Kind.RESET, reset.rank(), "");
    }

    @Override
    public void onNewWeights(final NewWeightsDecoder weights)
    {
        levels.touch(-1);
        happened(Kind.NEW_WEIGHTS, -1, words(weights.way()));
    }

    private void update(final RunRequest request)
    {
        final PastRequest past = live.get(request.id());
        if (past != null)
        {
            past.update(request, blockSizeTokens);
        }
    }

    private void happened(final Kind kind, final int rank, final String detail)
    {
        final Happening happening = new Happening(nowNanos, record, kind, rank, detail);
        if (nowNanos < window.fromNanos())
        {
            lostBefore(happening);
        }
        else if (isInside() && happenings.size() < MOST_KEPT)
        {
            happenings.add(happening);
        }
    }

    /** A rank that is lost when the history begins is lost in it. */
    private void lostBefore(final Happening happening)
    {
        switch (happening.kind())
        {
            case RANK_LOST, RANK_GIVEN_UP -> openLosses.put(happening.rank(), happening);
            case RESET, RESTART -> openLosses.keySet()
                .removeIf(rank -> happening.rank() < 0 || rank == happening.rank());
            default ->
            {
            }
        }
    }

    private static String words(final Enum<?> constant)
    {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
