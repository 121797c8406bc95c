// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.StateDigest;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.InputWriter;
import io.signalbox.event.RowsChecksum;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.D2hCompleteEncoder;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.RowForm;
import io.signalbox.event.codec.SubmitEncoder;
import io.signalbox.event.codec.WeightsWay;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.hash.BlockHasher;
import org.agrona.concurrent.UnsafeBuffer;

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
 * A scheduler before devices that keep KV content. Each call is one input; behind each one every invariant is checked. A
 * request that ends has the tokens and rows that its content alone says.
 */
final class DepthRig
{
    static final ModelShape SHAPE = new ModelShape(2, 64, 3);
    private static final int MOST_ROUNDS = 20_000;

    final SchedulerConfig config;
    final ModelContent content;
    final Scheduler scheduler;
    final ModelDevice[] devices;
    final DepthCounts counts = new DepthCounts();
    final ProvisionalCheck provisional = new ProvisionalCheck();
    final TryCount tries = new TryCount();
    private final FoldCheck fold;
    /** {@code null} unless it was asked for. */
    private ImageCheck image;
    private final RankModel[] models;
    private final VictimCheck[] victims;
    private final PauseCheck[] pauses;
    private final DepthOutputs outputs;
    final ModelWeights weights;
    private final Set<Integer> lost = new HashSet<>();
    private final InputWriter writer = new InputWriter();
    private final GroupWriter group = new GroupWriter(1024);
    private final UnsafeBuffer rows = new UnsafeBuffer(new byte[0]);
    private final RowsChecksum checksum = new RowsChecksum();
    private final BlockHasher hasher;
    private int epoch;
    private long now;
    private long nextId = 1;
    private long digest;

    DepthRig(final SchedulerConfig config, final int acceptedPercent)
    {
        this.config = config;
        scheduler = new Scheduler(config);
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

    /** From now on images are compared, see {@link ImageCheck}; before the first input. */
    DepthRig checkImages(final int every)
    {
        image = new ImageCheck(config, every);
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

    /** Lands the oldest step of rank 0 and launches every step that this leads to; {@link #said} tells of the landing. */
    DepthRig landAndFill()
    {
        land(0);
        final List<String> landing = List.copyOf(said());
        fill();
        said().clear();
        said().addAll(landing);
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
        final SubmitEncoder submit = writer.submit();
        submit.timeNanos(++now).requestId(id).conversationId(-1).predecessorId(-1).thinkTimeNanos(0)
            .deadlineNanos(deadline < 0 ? -1 : now + deadline).samplingSeed(0).promptTokens(prompt.tokens())
            .maxNewTokens(prompt.newTokens()).minNewTokens(prompt.least()).sampleOf(prompt.sampleOf())
            .rowsFrom(0).priority(priority).rankHint(-1)
            .temperature(1f).topP(1f).rankHintRelaxed(Flag.NO);
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
        return apply();
    }

    /** The cache key of a request, as a number. */
    static long tenant(final long id)
    {
        return id / 3 % 3 / 2;
    }

    DepthRig wake()
    {
        writer.wake().timeNanos(++now);
        return apply();
    }

    DepthRig tick(final int nanos)
    {
        now += nanos;
        writer.tick().timeNanos(++now);
        return apply();
    }

    /** The device begins its next step. */
    DepthRig launch(final int rank)
    {
        return forward(rank, devices[rank].launch());
    }

    DepthRig forward(final int rank, final ModelDevice.Step step)
    {
        models[rank].launched(step.number());
        writer.forward().timeNanos(++now).step(step.number()).deviceTimeNanos(0).epoch(step.epoch()).rank(rank);
        return apply();
    }

    /** The device reports its oldest step. */
    DepthRig land(final int rank)
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
        final int rowBytes = config.capture().rowBytes();
        final int rowCount = result.rows().size();
        rows.wrap(new byte[Math.max(1, rowCount * rowBytes)]);
        for (int i = 0; i < rowCount; i++)
        {
            ModelContent.writeRow(result.rows().get(i)[0], config.capture(), rows, i * rowBytes);
        }
        final ModelAnswer answer = new ModelAnswer(result.tokens(), checksum.of(rows, 0, rowCount * rowBytes));
        defect.spoil(answer, spoiledEntry(result));
        final D2hCompleteEncoder message = writer.d2hComplete();
        message.timeNanos(++now).step(result.step().number()).epoch(result.step().epoch()).rank(rank)
            .rowCount(rowCount).rowBytes(rowBytes).rowsChecksum(answer.checksum()).rowForm(RowForm.CHUNKED);
        answer.encode(message);
        message.impossibleRowsCount(0);
        message.logprobsCount(0);
        message.putRows(rows, 0, 0);
        return apply();
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

    DepthRig cancel(final long id)
    {
        outputs.cancelled(id);
        counts.add(DepthCounts.Kind.CANCEL, 1);
        writer.cancel().timeNanos(++now).requestId(id);
        return apply();
    }

    /** The client has found the end of the answer in its first tokens. */
    DepthRig stopAfter(final long id, final int answerTokens)
    {
        outputs.stopped(id, answerTokens);
        writer.cancel().timeNanos(++now).requestId(id).answerTokens(answerTokens);
        return apply();
    }

    DepthRig releaseRows(final long id)
    {
        outputs.released(id);
        counts.add(DepthCounts.Kind.RELEASE_ROWS, 1);
        writer.control().timeNanos(++now).requestId(id).kind(ControlKind.RELEASE_ROWS).note("");
        return apply();
    }

    DepthRig cacheReset()
    {
        forgetPrefixes();
        counts.add(DepthCounts.Kind.CACHE_RESET, 1);
        writer.control().timeNanos(++now).requestId(-1).kind(ControlKind.CACHE_RESET).note("");
        return apply();
    }

    /** From now on no request is accepted; those that live end as they would. */
    DepthRig stopAdmission()
    {
        writer.control().timeNanos(++now).requestId(-1).kind(ControlKind.DRAIN).note("");
        return apply();
    }

    /** The next decisions are of ranks that have forgotten what they computed. */
    void forgetPrefixes()
    {
        Arrays.stream(models).forEach(RankModel::forgetPrefixes);
        weights.forgetPrefixes();
    }

    DepthRig newWeights(final WeightsWay way)
    {
        outputs.weightsReplaced(way);
        writer.control().timeNanos(++now).requestId(-1).kind(ControlKind.NEW_WEIGHTS).way(way).note("");
        return apply();
    }

    DepthRig fault(final int rank, final ModelDevice.Step step, final FaultClass faultClass)
    {
        lose(rank, faultClass == FaultClass.RANK_LOST);
        counts.add(DepthCounts.Kind.valueOf(faultClass.name()), 1);
        writer.backendFault().timeNanos(++now).step(step.number()).epoch(step.epoch()).rank(rank)
            .faultClass(faultClass).detail("planted");
        return apply();
    }

    DepthRig timeOut(final int rank, final ModelDevice.Step step)
    {
        lose(rank, true);
        counts.add(DepthCounts.Kind.TIMED_OUT, 1);
        writer.stepTimedOut().timeNanos(++now).step(step.number()).epoch(step.epoch()).rank(rank);
        return apply();
    }

    private void lose(final int rank, final boolean isLost)
    {
        if (isLost)
        {
            lost.add(rank);
        }
    }

    DepthRig reset(final boolean kvMemoryKept)
    {
        lost.clear();
        counts.add(kvMemoryKept ? DepthCounts.Kind.RESET_WITH_MEMORY : DepthCounts.Kind.RESET_WITHOUT_MEMORY, 1);
        if (!kvMemoryKept)
        {
            Arrays.stream(devices).forEach(ModelDevice::forget);
            forgetPrefixes();
        }
        writer.backendReset().timeNanos(++now).newEpoch(++epoch).kvMemoryKept(kvMemoryKept ? Flag.YES : Flag.NO);
        return apply();
    }

    /** One rank begins anew, without the KV that it had. */
    DepthRig resetRank(final int rank)
    {
        lost.remove(rank);
        devices[rank].forget();
        models[rank].forgetPrefixes();
        weights.forgetPrefixes(rank);
        counts.add(DepthCounts.Kind.RESET_OF_ONE_RANK, 1);
        writer.backendReset().timeNanos(++now).newEpoch(++epoch).rank(rank).kvMemoryKept(Flag.NO);
        return apply();
    }

    private DepthRig apply()
    {
        group.reset();
        scheduler.apply(writer.buffer(), 0, writer.length(), rows, 0, group);
        digest = StateDigest.mix(digest, checksum.of(group.buffer(), 0, group.length()));
        outputs.read(group);
        fold.onGroup(group, now);
        if (image != null)
        {
            image.onInput(writer.buffer(), writer.length(), rows, scheduler, group);
        }
        for (int rank = 0; rank < devices.length; rank++)
        {
            models[rank].check(scheduler, rank);
            victims[rank].check(scheduler);
            pauses[rank].check(scheduler, rank);
            assertTrue(!lost.contains(rank) || devices[rank].inFlight() == 0, "a lost rank has no step");
        }
        return this;
    }

    /** Runs until every request has ended and every step has landed. */
    DepthRig drain()
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
                now = Math.max(now, scheduler.nextDeadlineNanos());
                tick(0);
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
                land(rank);
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
