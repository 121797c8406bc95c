// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.ConfigException;
import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;
import io.signalbox.batch.RankBlocks;
import io.signalbox.batch.RankLoad;
import io.signalbox.batch.Request;
import io.signalbox.batch.StepCommit;
import io.signalbox.batch.StepPlan;
import io.signalbox.batch.WaitingQueue;
import io.signalbox.event.CompletionView;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.CancelDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.ForwardDecoder;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.event.codec.RouterVersionDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.event.codec.WeightsWay;
import io.signalbox.event.codec.WithdrawalCause;
import io.signalbox.experts.RequestRows;
import io.signalbox.experts.RoutedExpertPages;
import io.signalbox.experts.SavedPages;
import io.signalbox.kv.hash.BlockHasher;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.RouterException;
import io.signalbox.router.RouterSnapshot;
import io.signalbox.saved.SavedFields;
import io.signalbox.saved.UnfitImageException;
import org.agrona.DirectBuffer;

import java.util.List;
import java.util.function.LongToIntFunction;

/**
 * The state machine: it consumes one input and writes one group. The same inputs in the same order lead to the same state
 * and the same bytes, on any JVM. It reads no clock, starts no thread, performs no I/O, and allocates nothing once its
 * tables have grown to the load.
 *
 * <p>{@code Submit} only queues. Requests are placed on ranks and steps are planned at <em>plan points</em>: when a
 * completion frees a step slot, on {@code Forward} if that leaves a slot, and on {@code Wake}, {@code Tick}, a fault or a
 * reset; at most one step per rank. Each rank has up to {@link SchedulerConfig#depth()} steps in flight. In lock-step mode a
 * plan point does neither before every rank has room for the next step; see {@link LockStep}.
 */
public final class Scheduler
{
    /** A group of this size gets no further plan; the other ranks are planned at the next plan point. */
    private static final int PLANNED_GROUP_BYTES = 24 * 1024 * 1024;

    /** The rank of a reset of all ranks. */
    private static final int ALL_RANKS = -1;

    private final SchedulerConfig config;
    private final RoutedExpertPages pages;
    private final RequestTable requests;
    private final DpRank[] ranks;
    private final WaitingQueue queue;
    private final Submissions submissions;
    private final GuardedRouter router;
    private final Placement placement;
    private final PromptSamples samples;
    private final RankSteps steps;
    private final StepResults results;
    private final StepCommit commit;
    private final OutputEncoder out = new OutputEncoder();
    private final Deadlines deadlines = new Deadlines();
    private final StepFailures failures;
    private final RequestEnding ends;
    private final WeightChange weights;

    private final InputReader reader = new InputReader(this);

    private boolean draining;
    /** Of the newest generation of any rank: a number means the same on all of them. */
    private int cacheGeneration;
    private long inputs;
    private long ignoredCompletions;
    private long timeNanos;

    public Scheduler(final SchedulerConfig config)
    {
        this(config, config.router().router(config.ranks(), config.prefixCaching()));
    }

    /** @param router used in place of the one that the configuration names; for tests of this package. */
    Scheduler(final SchedulerConfig config, final DpRouter router)
    {
        this(config, router, PLANNED_GROUP_BYTES);
    }

    Scheduler(final SchedulerConfig config, final DpRouter router, final int plannedGroupBytes)
    {
        this.config = config;
        pages = config.capture() == null ? null : new RoutedExpertPages(config.capture(), config.blockSizeTokens());
        requests = new RequestTable(pages);
        ranks = new DpRank[config.ranks()];
        for (int rank = 0; rank < ranks.length; rank++)
        {
            ranks[rank] = new DpRank(config, rank, pages, out);
        }
        queue = BatchSettings.queue(config);
        final BlockHasher hasher = BlockHasher.of(config.blockHash(), config.blockSizeTokens());
        submissions = new Submissions(config, requests, hasher);
        this.router = new GuardedRouter(config, router);
        samples = new PromptSamples(requests);
        placement = new Placement(this.router, ranks, samples, config);
        ends = new RequestEnding(requests, queue, ranks, placement, out, samples, pages != null);
        weights = new WeightChange(ranks, ends, out);
        steps = config.lockStep() ? new LockStep(ranks, plannedGroupBytes) : new OwnStep(ranks, plannedGroupBytes);
        failures = new StepFailures(ranks, config.maxFailures(), config.backOffNanos());
        results = new StepResults(config.capture());
        commit = new StepCommit(config.capture(), hasher);
    }

    /**
     * Applies one input and writes its whole group: the input, then every output.
     *
     * @param rows  the routed-expert rows of a {@code D2hComplete} whose form is CHUNKED, else null.
     * @param group appended to; the caller resets it.
     * @throws InvariantViolation if the input contradicts the state; the scheduler must not be used afterwards.
     */
    public void apply(
        final DirectBuffer input,
        final int offset,
        final int length,
        final DirectBuffer rows,
        final int rowsOffset,
        final GroupWriter group)
    {
        group.append(input, offset, length);
        ends.rowHandover().clear();
        out.into(group);
        reader.read(input, offset, length, rows, rowsOffset);
        if (++inputs % config.digestInterval() == 0)
        {
            writeDigest();
        }
        router.recorded().forget();
    }

    /**
     * The recorded group of the next input. If a version of the router that is not installed decided it, its placements and
     * the digest of its state are taken from here; every other decision is made anew.
     */
    public void readRecorded(final DirectBuffer group, final int offset, final int length)
    {
        if (router.repeats())
        {
            router.recorded().read(group, offset, length);
        }
        else
        {
            router.recorded().follow(group);
        }
    }

    /** Whether {@link #routerVersion()} is not installed, so that its decisions are only repeated. */
    public boolean repeatsPlacements()
    {
        return router.repeats();
    }

    /** Placements that this scheduler took from {@link #readRecorded}. */
    public long repeatedPlacements()
    {
        return router.recorded().repeated();
    }

    /** Label of the router that decides. */
    public String routerLabel()
    {
        return router.provider().label();
    }

    /** Version of that router that this program has. */
    public int installedRouterVersion()
    {
        return router.provider().version();
    }

    /** Version of the router that decides. */
    public int routerVersion()
    {
        return router.version();
    }

    /**
     * Orders each batch by recorded placements, because a journal without tokens has no first tokens of prompts.
     *
     * @param positions by request id, of the current input; {@link Integer#MAX_VALUE} if the request was not placed.
     */
    public void orderPlacementsBy(final LongToIntFunction positions)
    {
        placement.orderBy(positions);
    }

    /** Inputs may be stamped by different clocks; the scheduler's time never decreases. */
    private void advance(final long inputTimeNanos)
    {
        timeNanos = Math.max(timeNanos, inputTimeNanos);
        failures.advance(timeNanos);
    }

    void onSubmit(final SubmitDecoder input)
    {
        advance(input.timeNanos());
        final long requestId = input.requestId();
        final RefusalReason refusal = draining ? RefusalReason.DRAINING :
            submissions.refusal(input, placement.ranksExpected(), queue.size());
        if (refusal != RefusalReason.NULL_VAL)
        {
            out.refused(requestId, refusal);
            return;
        }
        final Request request = submissions.accept(input);
        deadlines.arm(request);
        samples.accepted(request);
        placement.due();
        queue.add(request);
        out.accepted(requestId);
    }

    void onCancel(final CancelDecoder input)
    {
        advance(input.timeNanos());
        if (input.answerTokens() < 0)
        {
            ends.cancel(input.requestId());
        }
        else
        {
            ends.stopAfter(input.requestId(), input.answerTokens());
        }
        replaceDrainedWeights();
    }

    void onControl(final ControlDecoder input)
    {
        advance(input.timeNanos());
        final ControlKind kind = input.kind();
        if (kind == ControlKind.DRAIN)
        {
            draining = true;
        }
        else if (kind == ControlKind.CACHE_RESET)
        {
            cacheGeneration++;
            for (final DpRank rank : ranks)
            {
                rank.blocks.forgetPrefixes(cacheGeneration);
            }
        }
        else if (kind == ControlKind.RELEASE_ROWS)
        {
            ends.releaseRows(input.requestId());
        }
        else if (kind == ControlKind.NEW_WEIGHTS)
        {
            announceWeights(input.way(), input.note());
        }
    }

    /** Weights that are still awaited come now, in the way of the new ones, unless these are awaited too. */
    private void announceWeights(final WeightsWay way, final String version)
    {
        if (way == WeightsWay.DRAIN)
        {
            weights.await(version);
            replaceDrainedWeights();
            return;
        }
        while (weights.isAwaited())
        {
            weights.applyAwaited(way, ++cacheGeneration);
        }
        weights.apply(way, version, ++cacheGeneration);
        placement.due();
    }

    private void replaceDrainedWeights()
    {
        while (weights.isAwaited() && !ends.isAnyBegun())
        {
            weights.applyAwaited(WeightsWay.DRAIN, ++cacheGeneration);
            placement.due();
        }
    }

    void planPointAt(final long inputTimeNanos)
    {
        advance(inputTimeNanos);
        planPoint();
    }

    void onForward(final ForwardDecoder input)
    {
        advance(input.timeNanos());
        final DpRank rank = rankOf(input.epoch(), input.rank(), input.step());
        if (rank != null && rank.launched(input.step()))
        {
            planPoint();
        }
    }

    void onD2hComplete(final CompletionView input, final DirectBuffer chunkedRows, final int chunkedOffset)
    {
        advance(input.timeNanos());
        final int rankIndex = input.rank();
        final DpRank rank = rankOf(input.epoch(), rankIndex, input.step());
        if (rank == null)
        {
            return;
        }
        final StepPlan plan = rank.open.oldest();
        final String fault = plan.step() != input.step() ?
            "step " + input.step() + " was reported complete before step " + plan.step() :
            results.read(input, plan, chunkedRows, chunkedOffset);
        if (fault != null)
        {
            withdraw(rankIndex, input.step(), WithdrawalCause.STEP_FAILED, fault, fault);
            return;
        }
        commit.apply(plan, rank.blocks, rank.load, results);
        out.commit(plan, commit, rank.epoch(), rankIndex);
        failures.stepSucceeded(rank, plan);
        ends.endBy(plan, commit);
        rank.land();
        if (samples.areWaiting())
        {
            // The step may have computed the prompt that they share.
            placement.due();
        }
        planPoint();
    }

    void onBackendFault(final BackendFaultDecoder input)
    {
        advance(input.timeNanos());
        final int rank = input.rank();
        if (input.faultClass() == FaultClass.RANK_GIVEN_UP)
        {
            giveUp(rank, input.epoch());
        }
        else if (rankOf(input.epoch(), rank, input.step()) != null)
        {
            final boolean lost = input.faultClass() == FaultClass.RANK_LOST;
            withdraw(rank, lost ? ranks[rank].open.oldest().step() : input.step(),
                lost ? WithdrawalCause.RANK_LOST : WithdrawalCause.STEP_FAILED, "", input.detail());
        }
    }

    /** Requests do not wait for the rank any more; a reset brings it back all the same. */
    private void giveUp(final int rank, final int epoch)
    {
        requireRank(rank);
        if (ranks[rank].epoch() != epoch || !ranks[rank].isLost())
        {
            ignoredCompletions++;
            return;
        }
        ranks[rank].giveUp();
        failIfNoRankReturns();
    }

    private void failIfNoRankReturns()
    {
        if (placement.ranksExpected() == 0)
        {
            ends.failQueued();
        }
    }

    /** Marks the rank as lost until its backend is reset, because the device may still write into the step's blocks. */
    void onStepTimedOut(final StepTimedOutDecoder input)
    {
        advance(input.timeNanos());
        final int rank = input.rank();
        if (rankOf(input.epoch(), rank, input.step()) != null)
        {
            final long step = ranks[rank].open.oldest().step();
            withdraw(rank, step, WithdrawalCause.TIMED_OUT, "",
                "the backend did not report step " + step + " of rank " + rank + " in time");
        }
    }

    /**
     * A step of the rank has failed, with it every later one.
     *
     * @param detail   what is wrong with the completion, or empty.
     * @param sentence why the step failed, for the clients of requests that end with it.
     */
    private void withdraw(
        final int rankIndex, final long step, final WithdrawalCause cause, final String detail, final String sentence)
    {
        final DpRank rank = ranks[rankIndex];
        failures.stepFailed(rank, step, timeNanos);
        out.withdrawnFrom(rank, rankIndex, step, cause, detail);
        for (int i = 0; i < failures.exhaustedCount(); i++)
        {
            failures.exhausted(i).fail(sentence, step, rankIndex);
        }
        if (cause == WithdrawalCause.STEP_FAILED)
        {
            rank.withdraw(step);
        }
        else
        {
            rank.withdrawAll();
            rank.lose();
            ends.rankLost(sentence, step, rankIndex);
            rank.planner.evacuate(queue);
            placement.due();
        }
        ends.endAllEnding();
        failIfNoRankReturns();
        planPoint();
    }

    void onBackendReset(final BackendResetDecoder input)
    {
        advance(input.timeNanos());
        if (input.rank() < ALL_RANKS || input.rank() >= ranks.length)
        {
            throw new InvariantViolation("rank " + input.rank() + " of a BackendReset is not one of " + ranks.length);
        }
        draining &= input.restart() != Flag.YES;
        cacheGeneration += input.kvMemoryKept() == Flag.YES ? 0 : 1;
        for (int index = 0; index < ranks.length; index++)
        {
            if (input.rank() == ALL_RANKS || input.rank() == index)
            {
                reset(index, input.newEpoch(), input.kvMemoryKept() == Flag.YES);
            }
        }
        placement.due();
        ends.endAllEnding();
        planPoint();
    }

    /** A fact of the engine that continues the run; it decides nothing by itself. */
    void onRouterVersion(final RouterVersionDecoder input)
    {
        advance(input.timeNanos());
        final int version = input.version();
        final String label = input.label();
        if (version < 1 || !label.equals(router.provider().label()))
        {
            throw new InvariantViolation("version " + version + " of the router " + label + " is to decide, and the " +
                "router of the run is " + router.provider().label());
        }
        if (version != router.provider().version() && !router.recorded().hasGroup())
        {
            throw new InvariantViolation("version " + version + " of the router " + label + " is to decide, and version " +
                router.provider().version() + " is installed");
        }
        router.begin(version, config.router().router(ranks.length, config.prefixCaching()));
    }

    private void reset(final int index, final int newEpoch, final boolean kvMemoryKept)
    {
        final DpRank rank = ranks[index];
        if (!rank.open.isEmpty())
        {
            out.withdrawnFrom(rank, index, rank.open.oldest().step(), WithdrawalCause.RESET, "");
        }
        rank.withdrawAll();
        rank.reset(newEpoch);
        failures.reset(rank);
        if (!kvMemoryKept)
        {
            rank.blocks.forgetPrefixes(cacheGeneration);
        }
    }

    /** The rank whose step this is about, or null, counted, if the step is of another epoch or no longer in flight. */
    private DpRank rankOf(final int inputEpoch, final int rank, final long step)
    {
        requireRank(rank);
        if (inputEpoch == ranks[rank].epoch() && ranks[rank].open.isOpen(step))
        {
            return ranks[rank];
        }
        ignoredCompletions++;
        return null;
    }

    private void requireRank(final int rank)
    {
        if (rank < 0 || rank >= ranks.length)
        {
            throw new InvariantViolation("rank " + rank + " of a backend event is not one of " + ranks.length);
        }
    }

    private void planPoint()
    {
        expireDeadlines();
        replaceDrainedWeights();
        if (steps.isUnderWay())
        {
            return;
        }
        placement.place(queue, weights.isAwaited(), out);
        steps.plan(out);
    }

    private void expireDeadlines()
    {
        if (timeNanos >= deadlines.nextNanos())
        {
            deadlines.expire(requests, timeNanos);
            ends.endAllEnding();
        }
    }

    private void writeDigest()
    {
        out.digest(inputs, DpRank.poolDigest(ranks), DpRank.prefixIndexDigest(ranks),
            pages == null ? 0 : pages.digest(), requestsDigest(), router.digest());
    }

    private long requestsDigest()
    {
        final long state = weights.digest() | (draining ? 1 : 0);
        return requests.digest() + steps.digest(placement.digest(StateDigest.mix(queue.digest(), 0, state)));
    }

    /** Digest of the whole state, as {@code Digest} events have it in parts. */
    public long stateDigest()
    {
        final long cached = StateDigest.mix(inputs, DpRank.poolDigest(ranks), DpRank.prefixIndexDigest(ranks));
        return StateDigest.mix(cached, StateDigest.mix(pages == null ? 0 : pages.digest(), requestsDigest()),
            router.digest());
    }

    /** Time of the last applied input. */
    public long timeNanos()
    {
        return timeNanos;
    }

    /** Number of requests that have not ended or whose rows the client has not taken. */
    public int liveRequests()
    {
        return requests.size();
    }

    /** Whether a {@code Wake} would plan a step now: a rank has room for a step and something has changed for it. */
    public boolean wantsWake()
    {
        final boolean unplaced = !queue.isEmpty() && placement.isDue();
        return !steps.isUnderWay() && (steps.anyRankWantsPlan() || unplaced && steps.anyRankHasSlot());
    }

    /** Lower bound of the armed deadlines and of the ends of ranks' rests; {@link Long#MAX_VALUE} if there is neither. */
    public long nextDeadlineNanos()
    {
        return Math.min(deadlines.nextNanos(), failures.nextNanos());
    }

    /** The names of announced weights that wait for the end of the requests that have begun, in their order. */
    public List<String> awaitedWeights()
    {
        return weights.awaitedVersions();
    }

    /** Number of backend events that were ignored because their epoch or step has passed. */
    public long ignoredCompletions()
    {
        return ignoredCompletions;
    }

    /** The blocks of a rank: for tests. */
    RankBlocks blocks(final int rank)
    {
        return ranks[rank].blocks;
    }

    /** The load of a rank: for tests. */
    RankLoad load(final int rank)
    {
        return ranks[rank].load;
    }

    /** The pages of routed experts, or null if capture is off. */
    public RoutedExpertPages pages()
    {
        return pages;
    }

    /** A request that has not ended or whose rows the client has not taken, or null: for tests. */
    Request request(final long id)
    {
        return requests.find(id);
    }

    /**
     * State of the router after the last input, as a {@link RouterSnapshot}. A new router has been restored from it.
     *
     * @throws ConfigException if the state exceeds the size limit of a snapshot.
     * @throws RouterException if the router does not write or restore all of its state.
     */
    public byte[] routerSnapshot()
    {
        final byte[] snapshot = RouterSnapshot.of(router.provider(), router.version(), router, ranks.length);
        if (router.repeats())
        {
            return snapshot;
        }
        try
        {
            final DpRouter restored = config.router().router(ranks.length, config.prefixCaching());
            RouterSnapshot.restore(snapshot, router.provider(), restored, ranks.length);
            return snapshot;
        }
        catch (final ConfigException e)
        {
            throw new RouterException("does not restore its own snapshot (" + e.getMessage() + ")", e).by(router.provider());
        }
    }

    /**
     * Saves the whole state between two inputs, or restores it in a new scheduler. It then makes the decisions that the
     * scheduler would have made that was saved, bit for bit.
     *
     * @throws UnfitImageException if the bytes are of another configuration, or do not give the state that was saved.
     * @throws ConfigException     if the state of the router exceeds the size limit of a snapshot.
     */
    public void save(final SavedFields fields)
    {
        fields.record(() -> saveCounts(fields));
        final SavedPages saved = pages == null ? null : new SavedPages(pages, fields);
        requests.save(fields, saved);
        fields.record(() -> queue.save(fields, requests));
        for (final DpRank rank : ranks)
        {
            fields.record(() -> rank.save(fields, requests, saved));
        }
        fields.record(() -> saveRouter(fields));
        if (saved != null)
        {
            saved.end();
        }
        fields.record(() -> requireSame(fields, "digest", stateDigest()));
    }

    private void saveCounts(final SavedFields fields)
    {
        requireSame(fields, "number of ranks", config.ranks());
        requireSame(fields, "number of blocks", config.kvBlocks());
        requireSame(fields, "number of tokens per block", config.blockSizeTokens());
        requireSame(fields, "number of bytes per row", pages == null ? 0 : pages.shape().rowBytes());
        draining = fields.flag(draining);
        cacheGeneration = fields.int32(cacheGeneration);
        inputs = fields.number(inputs);
        ignoredCompletions = fields.number(ignoredCompletions);
        timeNanos = fields.number(timeNanos);
        fields.record(() -> samples.save(fields));
        fields.record(() -> deadlines.save(fields));
        fields.record(() -> failures.save(fields));
        fields.record(() -> ends.save(fields));
        fields.record(() -> weights.save(fields));
        fields.record(() -> placement.save(fields));
        fields.record(() -> steps.save(fields));
    }

    private static void requireSame(final SavedFields fields, final String name, final long value)
    {
        final long saved = fields.number(value);
        if (saved != value)
        {
            throw new UnfitImageException("its " + name + " is " + saved + " and not " + value);
        }
    }

    private void saveRouter(final SavedFields fields)
    {
        final byte[] written = fields.isReading() ? new byte[0] : routerSnapshot();
        final int length = fields.count(written.length);
        final byte[] state = fields.isReading() ? new byte[length] : written;
        fields.bytes(state, 0, length);
        if (fields.isReading())
        {
            router.restore(state, ranks.length);
        }
    }

    /** The declaration of the router that decides. */
    public DpRouterProvider router()
    {
        return router.provider();
    }

    /** Rows of ended requests that the last input handed over. */
    public RowHandover rowHandover()
    {
        return ends.rowHandover();
    }

    /** The rows of a live or finished request, or null. */
    public RequestRows rows(final long requestId)
    {
        final Request request = requests.find(requestId);
        return request == null ? null : request.rows();
    }
}
