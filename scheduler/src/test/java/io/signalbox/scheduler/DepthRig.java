// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.StateDigest;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.RowsChecksum;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.SubmitEncoder;
import io.signalbox.event.codec.WeightsWay;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.hash.BlockHasher;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A scheduler with devices that keep KV content. After each input every invariant is checked. A request that ends has the
 * tokens and rows that its content alone determines.
 */
final class DepthRig extends DrivenScheduler<DepthRig>
{
    static final ModelShape SHAPE = new ModelShape(2, 64, 3);
    private static final int MOST_ROUNDS = 20_000;

    final ModelContent content;
    final ModelDevice[] devices;
    final DepthCounts counts = new DepthCounts();
    final ProvisionalCheck provisional = new ProvisionalCheck();
    final TryCount tries = new TryCount();
    private final FoldCheck fold;
    private final RankModel[] models;
    private final VictimCheck[] victims;
    private final PauseCheck[] pauses;
    private final DepthOutputs outputs;
    final ModelWeights weights;
    private final Set<Integer> lost = new HashSet<>();
    private final RowsChecksum checksum = new RowsChecksum();
    private final BlockHasher hasher;
    private long nextId = 1;
    private long digest;

    DepthRig(final SchedulerConfig config, final int acceptedPercent)
    {
        super(config, new Scheduler(config));
        fold = new FoldCheck(config, scheduler);
        content = new ModelContent(acceptedPercent);
        hasher = BlockHasher.of(config.blockHash(), config.blockSizeTokens());
        devices = new ModelDevice[config.ranks()];
        models = new RankModel[config.ranks()];
        victims = new VictimCheck[config.ranks()];
        pauses = new PauseCheck[config.ranks()];
        for (int rank = 0; rank < devices.length; rank++)
        {
            devices[rank] = new ModelDevice(content, config.kvBlocks(), config.blockSizeTokens(), config.depth(),
                config.sameStepSharing());
            models[rank] = new RankModel(this, counts);
            pauses[rank] = new PauseCheck(this, models[rank]);
            victims[rank] = new VictimCheck(models[rank], pauses[rank], counts);
        }
        weights = new ModelWeights(config.blockSizeTokens(), config.ranks());
        outputs = new DepthOutputs(this, models, victims, pauses);
    }

    @Override
    DepthRig self()
    {
        return this;
    }

    /** One rank that tells its decisions in full; blocks of 4 tokens, the last block is the dummy. */
    static DepthRig small(final int depth, final int drafts, final int acceptedPercent, final int blocks)
    {
        final DepthRig rig = new DepthRig(smallConfig(depth, drafts, blocks).build(), acceptedPercent);
        rig.outputs.trace();
        return rig;
    }

    /** A rig that tells its decisions in full. */
    static DepthRig traced(final SchedulerConfig.Builder config)
    {
        final DepthRig rig = new DepthRig(config.build(), 0);
        rig.outputs.trace();
        return rig;
    }

    static SchedulerConfig.Builder smallConfig(final int depth, final int drafts, final int blocks)
    {
        return SchedulerConfig.builder().ranks(1).blockSizeTokens(4).kvBlocks(blocks).stepTokens(16).maxRunning(4)
            .router("round-robin").depth(depth).draftTokens(drafts).capture(SHAPE).backOffNanos(0);
    }

    /** A request that shares no prompt block. */
    DepthRig submit(final int promptTokens, final int newTokens, final int stopToken)
    {
        return submit(new ModelContent.Prompt(0, 0, promptTokens, newTokens, stopToken), 0, -1);
    }

    /** Wakes the scheduler if it wants that, and launches every step that it plans. */
    DepthRig fill()
    {
        if (scheduler.wantsWake())
        {
            wake();
        }
        while (devices[0].canLaunch())
        {
            launch(0);
        }
        return this;
    }

    /**
     * Completes the oldest step of rank 0 and launches every step that this leads to; {@link #said} has the decisions of the
     * completion.
     */
    DepthRig completeAndFill()
    {
        complete(0);
        final List<String> completion = List.copyOf(said());
        fill();
        said().clear();
        said().addAll(completion);
        return this;
    }

    /** The request that is submitted next; ids count from 1. */
    long nextId()
    {
        return nextId;
    }

    List<Integer> emitted(final long id)
    {
        return outputs.emitted(id);
    }

    /** The decisions of the last group, one line each. */
    List<String> said()
    {
        return outputs.lines();
    }

    DepthOutputs outputs()
    {
        return outputs;
    }

    /** Whether the request still awaits the entries that are in flight. */
    boolean awaits(final long id)
    {
        return outputs.live().contains(id) && !scheduler.request(id).isEnding();
    }

    boolean isLost(final int rank)
    {
        return lost.contains(rank);
    }

    /** The paused requests of all ranks. */
    List<Long> paused()
    {
        return Arrays.stream(pauses).flatMap(rank -> rank.paused().stream()).toList();
    }

    /** Digest of all groups so far. */
    long digest()
    {
        return digest;
    }

    /** @param deadline nanoseconds from now, or -1. */
    DepthRig submit(final ModelContent.Prompt prompt, final int priority, final int deadline)
    {
        final long id = nextId++;
        content.add(id, prompt, emitted(prompt.previous()));
        final SubmitEncoder submit = submission(id, prompt.tokens(), prompt.newTokens()).minNewTokens(prompt.least())
            .sampleOf(prompt.sampleOf()).priority(priority);
        submit.deadlineNanos(deadline < 0 ? -1 : now() + deadline);
        final int blockSize = config.blockSizeTokens();
        final int[] tokens = content.firstTokens(id, prompt.tokens());
        final long[] hashes = new long[prompt.tokens() / blockSize];
        final byte[] chain = new byte[hasher.chainBytes()];
        hasher.hash(tokens, tokens.length, new byte[0], hashes);
        hasher.chain(chain);
        final ByteBuffer bytes =
            ByteBuffer.allocate(hashes.length * Long.BYTES + tokens.length * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        Arrays.stream(hashes).forEach(bytes::putLong);
        Arrays.stream(tokens).forEach(bytes::putInt);
        final boolean isContinued = ModelContent.isContinued(id);
        final int given = !isContinued ? 0 : id % 4 != 1 ? tokens.length : tokens.length % blockSize;
        final byte[] tenant = new byte[] {(byte)tenant(id)};
        submit.putBlockHashes(bytes.array(), 0, hashes.length * Long.BYTES).putCacheKey(tenant, 0, tenant.length)
            .putTokens(bytes.array(), bytes.position() - given * Integer.BYTES, given * Integer.BYTES)
            .putHashChain(chain, 0, isContinued ? chain.length : 0);
        final ByteBuffer stops = ByteBuffer.allocate(64 * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        prompt.stopTokens().forEach(stops::putInt);
        submit.putStopTokens(stops.array(), 0, stops.position());
        return apply(null);
    }

    /** The cache key of a request, as a number. */
    static long tenant(final long id)
    {
        return id / 3 % 3 / 2;
    }

    DepthRig tick(final int nanos)
    {
        return tickAt(now() + nanos + 1);
    }

    /** The device begins its next step. */
    DepthRig launch(final int rank)
    {
        return forward(rank, devices[rank].launch());
    }

    DepthRig forward(final int rank, final ModelDevice.Step step)
    {
        models[rank].launched(step.number());
        return forward(rank, step.epoch(), step.number());
    }

    /** The device reports its oldest step. */
    DepthRig complete(final int rank)
    {
        return complete(rank, devices[rank].land(), ModelDefect.NONE);
    }

    /** The device reports a step before an earlier one. */
    DepthRig completeTooEarly(final int rank, final ModelDevice.Result result)
    {
        outputs.expectRefusal(true);
        counts.add(DepthCounts.Kind.TOO_EARLY, 1);
        return encode(rank, result, ModelDefect.NONE);
    }

    DepthRig complete(final int rank, final ModelDevice.Result result, final ModelDefect defect)
    {
        outputs.expectRefusal(defect != ModelDefect.NONE);
        return encode(rank, result, defect);
    }

    private DepthRig encode(final int rank, final ModelDevice.Result result, final ModelDefect defect)
    {
        final ModelAnswer answer = new ModelAnswer(result.tokens());
        defect.spoil(answer, spoiledEntry(result));
        return complete(rank, result.step().epoch(), result.step().number(), result.rows().size(),
            (token, shape, rows, offset) -> SeededRow.write(result.rows().get(token)[0], shape, rows, offset), answer);
    }

    /** The last entry whose request still awaits it; -1 if there is none. */
    int spoiledEntry(final ModelDevice.Result result)
    {
        int entry = result.step().entries().size() - 1;
        while (entry >= 0 && !awaits(result.step().entries().get(entry).requestId()))
        {
            entry--;
        }
        return entry;
    }

    @Override
    DepthRig cancel(final long id)
    {
        outputs.cancelled(id);
        counts.add(DepthCounts.Kind.CANCEL, 1);
        return super.cancel(id);
    }

    @Override
    DepthRig stopAfter(final long id, final int answerTokens)
    {
        outputs.stopped(id, answerTokens);
        return super.stopAfter(id, answerTokens);
    }

    @Override
    DepthRig releaseRows(final long id)
    {
        outputs.released(id);
        counts.add(DepthCounts.Kind.RELEASE_ROWS, 1);
        return super.releaseRows(id);
    }

    @Override
    DepthRig resetCache()
    {
        forgetPrefixes();
        counts.add(DepthCounts.Kind.CACHE_RESET, 1);
        return super.resetCache();
    }

    /** The next decisions are of ranks that have forgotten what they computed. */
    void forgetPrefixes()
    {
        Arrays.stream(models).forEach(RankModel::forgetPrefixes);
        weights.forgetPrefixes();
    }

    @Override
    DepthRig newWeights(final WeightsWay way)
    {
        outputs.weightsReplaced(way);
        return super.newWeights(way);
    }

    DepthRig fail(final int rank, final ModelDevice.Step step)
    {
        counts.add(DepthCounts.Kind.STEP_FAILED, 1);
        return fault(rank, step.epoch(), step.number(), FaultClass.STEP_FAILED);
    }

    DepthRig lose(final int rank, final ModelDevice.Step step)
    {
        lost.add(rank);
        counts.add(DepthCounts.Kind.RANK_LOST, 1);
        return fault(rank, step.epoch(), step.number(), FaultClass.RANK_LOST);
    }

    DepthRig timeOut(final int rank, final ModelDevice.Step step)
    {
        lost.add(rank);
        counts.add(DepthCounts.Kind.TIMED_OUT, 1);
        return timeOut(rank, step.epoch(), step.number());
    }

    @Override
    DepthRig reset(final boolean kvMemoryKept)
    {
        lost.clear();
        counts.add(kvMemoryKept ? DepthCounts.Kind.RESET_WITH_MEMORY : DepthCounts.Kind.RESET_WITHOUT_MEMORY, 1);
        if (!kvMemoryKept)
        {
            Arrays.stream(devices).forEach(ModelDevice::forget);
            forgetPrefixes();
        }
        return super.reset(kvMemoryKept);
    }

    @Override
    DepthRig resetRank(final int rank)
    {
        lost.remove(rank);
        devices[rank].forget();
        models[rank].forgetPrefixes();
        weights.forgetPrefixes(rank);
        counts.add(DepthCounts.Kind.RESET_OF_ONE_RANK, 1);
        return super.resetRank(rank);
    }

    @Override
    void onGroup(final GroupWriter output)
    {
        digest = StateDigest.mix(digest, checksum.of(output.buffer(), 0, output.length()));
        outputs.read(output);
        fold.onGroup(output, now());
        for (int rank = 0; rank < devices.length; rank++)
        {
            models[rank].check(scheduler, rank);
            victims[rank].check(scheduler);
            pauses[rank].check(scheduler, rank);
            assertTrue(!lost.contains(rank) || devices[rank].inFlight() == 0, "a lost rank has no step");
        }
    }

    /** Runs until every request has ended and every step has landed. */
    DepthRig run()
    {
        if (!lost.isEmpty())
        {
            reset(true);
        }
        int rounds = 0;
        while (!outputs.live().isEmpty() || Arrays.stream(devices).anyMatch(device -> device.inFlight() > 0))
        {
            assertTrue(rounds++ < MOST_ROUNDS, () -> "requests " + outputs.live() + " never end");
            if (scheduler.wantsWake())
            {
                wake();
            }
            if (!runDevices() && !scheduler.wantsWake())
            {
                assertTrue(scheduler.nextDeadlineNanos() < Long.MAX_VALUE,
                    () -> "requests " + outputs.live() + " stall");
                tickAt(Math.max(now(), scheduler.nextDeadlineNanos()) + 1);
            }
        }
        checkNothingIsLeft();
        return this;
    }

    private boolean runDevices()
    {
        boolean any = false;
        for (int rank = 0; rank < devices.length; rank++)
        {
            any |= devices[rank].inFlight() > 0;
            if (devices[rank].canLaunch())
            {
                launch(rank);
            }
            if (devices[rank].canLand())
            {
                complete(rank);
            }
        }
        return any;
    }

    private void checkNothingIsLeft()
    {
        outputs.checkRowsAgain();
        outputs.checkNoWeightsAwaited();
        for (int rank = 0; rank < devices.length; rank++)
        {
            assertEquals(0, scheduler.blocks(rank).allocator().owned(), "blocks that nobody needs are owned");
            assertFalse(scheduler.blocks(rank).isRetiring(), "blocks wait for no step");
            assertEquals(0, scheduler.load(rank).activeRequests());
            assertEquals(0, scheduler.load(rank).promptTokens());
            assertEquals(0, scheduler.load(rank).uncachedTokens());
            assertEquals(0, scheduler.load(rank).pendingPrefillTokens());
            assertEquals(0, scheduler.load(rank).contextTokens());
            assertEquals(scheduler.blocks(rank).allocator().recomputePoolDigest(),
                scheduler.blocks(rank).allocator().poolDigest());
        }
        assertEquals(scheduler.pages().recomputeDigest(), scheduler.pages().digest());
        outputs.checkDeadEntries();
    }
}
