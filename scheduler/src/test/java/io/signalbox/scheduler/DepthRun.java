// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.backend.StepTokens;
import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.InputWriter;
import io.signalbox.event.RowsChecksum;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.D2hCompleteEncoder;
import io.signalbox.event.codec.EntryVerdict;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RowForm;
import io.signalbox.event.codec.WithdrawnDecoder;
import io.signalbox.experts.ModelShape;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A scheduler before devices that keep KV content, driven by a list of numbers: each chooses one action. Every request that
 * ends by itself must have the tokens and rows that its content alone says.
 */
final class DepthRun
{
    static final ModelShape SHAPE = new ModelShape(2, 64, 3);
    private static final int MOST_ROUNDS = 20_000;

    private final SchedulerConfig config;
    private final Scheduler scheduler;
    private final ModelContent content;
    private final ModelDevice[] devices;
    private final Set<Integer> lost = new HashSet<>();
    private final boolean faults;
    private final InputWriter writer = new InputWriter();
    private final GroupWriter group = new GroupWriter(1024);
    private final Outputs outputs = new Outputs();
    private final Map<Long, List<Integer>> emitted = new HashMap<>();
    private final Set<Long> live = new HashSet<>();
    private final Set<Long> cancelled = new HashSet<>();
    private final Map<Long, Integer> deadEntries = new HashMap<>();
    private final Map<Long, FreeReason> ended = new HashMap<>();
    private int epoch;
    private long now;
    private long nextId = 1;
    private long withdrawnSteps;
    private long voidEntries;
    private long fencedFrees;

    DepthRun(final SchedulerConfig config, final int acceptedPercent, final boolean faults)
    {
        this.config = config;
        this.faults = faults;
        scheduler = new Scheduler(config);
        content = new ModelContent(acceptedPercent);
        devices = new ModelDevice[config.ranks()];
        Arrays.setAll(devices, rank ->
            new ModelDevice(content, config.kvBlocks(), config.blockSizeTokens(), config.depth()));
    }

    void play(final List<Integer> actions)
    {
        for (final int action : actions)
        {
            act(action % 20, action / 20);
        }
        drain();
    }

    private void act(final int kind, final int choice)
    {
        final int rank = choice % devices.length;
        final int detail = choice / devices.length;
        switch (kind)
        {
            case 0, 1, 2 -> submit(detail);
            case 3, 4 -> wake();
            case 5, 6, 7, 8, 9 -> launch(rank);
            case 10, 11, 12, 13, 14 -> land(rank);
            case 15 -> cancel(detail);
            case 16 -> tick(detail);
            case 17 -> cacheReset(detail);
            case 18 -> fault(rank, detail);
            default -> reset(detail);
        }
    }

    private void submit(final int detail)
    {
        final int block = config.blockSizeTokens();
        final int prompt = 1 + detail % (3 * block + 2);
        final int newTokens = detail / 7 % 9;
        if (Math.max(1, prompt + newTokens - 1) > (config.kvBlocks() - 1) * block)
        {
            return;
        }
        final int family = detail / 63 % 2;
        final int sharedBlocks = Math.min(prompt / block, detail / 5 % 4);
        final int stopToken = detail / 126 % 2 == 0 ? -1 : detail % 11;
        final long id = nextId++;
        content.add(id, new ModelContent.Prompt(family, sharedBlocks * block, prompt, newTokens, stopToken));
        final UnsafeBuffer hashes = new UnsafeBuffer(new byte[prompt / block * Long.BYTES]);
        for (int i = 0; i < prompt / block; i++)
        {
            hashes.putLong(i * Long.BYTES, SchedulerHarness.blockHash(i < sharedBlocks ? family : 1_000_000 + id, i));
        }
        writer.submit().timeNanos(++now).requestId(id).conversationId(-1).predecessorId(-1).thinkTimeNanos(0)
            .deadlineNanos(detail % 29 == 0 ? now + 40 : -1).samplingSeed(0).promptTokens(prompt).maxNewTokens(newTokens)
            .stopTokenId(stopToken).rowsFrom(0).priority(detail % 3).rankHint(-1).temperature(1f).topP(1f)
            .rankHintRelaxed(Flag.NO).putBlockHashes(hashes, 0, hashes.capacity()).putCacheKey(hashes, 0, 0)
            .putTokens(hashes, 0, 0);
        apply(null);
    }

    private void wake()
    {
        writer.wake().timeNanos(++now);
        apply(null);
    }

    private void tick(final int detail)
    {
        now += detail % 50;
        writer.tick().timeNanos(++now);
        apply(null);
    }

    private void launch(final int rank)
    {
        if (devices[rank].canLaunch())
        {
            final ModelDevice.Step step = devices[rank].launch();
            writer.forward().timeNanos(++now).step(step.number()).deviceTimeNanos(0).epoch(step.epoch()).rank(rank);
            apply(null);
        }
    }

    private void land(final int rank)
    {
        if (devices[rank].canLand())
        {
            complete(rank, devices[rank].land());
        }
    }

    private void complete(final int rank, final ModelDevice.Result result)
    {
        final int rowBytes = SHAPE.rowBytes();
        final UnsafeBuffer rows = new UnsafeBuffer(new byte[Math.max(1, result.rows().size() * rowBytes)]);
        for (int i = 0; i < result.rows().size(); i++)
        {
            ModelContent.writeRow(result.rows().get(i)[0], SHAPE, rows, i * rowBytes);
        }
        final int length = result.rows().size() * rowBytes;
        final StepTokens tokens = result.tokens();
        final D2hCompleteEncoder message = writer.d2hComplete();
        message.timeNanos(++now).step(result.step().number()).epoch(result.step().epoch()).rank(rank)
            .rowCount(result.rows().size()).rowBytes(rowBytes)
            .rowsChecksum(new RowsChecksum().of(rows, 0, length)).rowForm(RowForm.CHUNKED);
        final D2hCompleteEncoder.EntriesEncoder entries = message.entriesCount(tokens.entryCount());
        for (int i = 0; i < tokens.entryCount(); i++)
        {
            entries.next().start(tokens.start(i)).accepted((short)tokens.accepted(i));
        }
        final D2hCompleteEncoder.TokensEncoder accepted = message.tokensCount(tokens.tokenCount());
        for (int i = 0; i < tokens.tokenCount(); i++)
        {
            accepted.next().tokenId(tokens.token(i));
        }
        message.impossibleRowsCount(0);
        message.putRows(rows, 0, 0);
        apply(rows);
    }

    private void cancel(final int detail)
    {
        if (nextId > 1)
        {
            final long id = 1 + detail % (nextId - 1);
            cancelled.add(id);
            writer.cancel().timeNanos(++now).requestId(id);
            apply(null);
        }
    }

    private void cacheReset(final int detail)
    {
        if (detail % 4 == 0)
        {
            writer.control().timeNanos(++now).requestId(-1).kind(ControlKind.CACHE_RESET).note("");
            apply(null);
        }
    }

    private void fault(final int rank, final int detail)
    {
        final int inFlight = devices[rank].inFlight();
        if (!faults || inFlight == 0)
        {
            return;
        }
        final ModelDevice.Step step = devices[rank].inFlight(detail % inFlight);
        final boolean rankLost = detail / 4 % 5 == 0;
        writer.backendFault().timeNanos(++now).step(step.number()).epoch(step.epoch()).rank(rank)
            .faultClass(rankLost ? FaultClass.RANK_LOST : FaultClass.STEP_FAILED).detail("planted");
        apply(null);
        if (rankLost)
        {
            assertEquals(0, devices[rank].inFlight(), "a lost rank has no step");
            lost.add(rank);
        }
    }

    private void reset(final int detail)
    {
        if (faults && (detail % 5 == 0 || !lost.isEmpty()))
        {
            resetAll(detail % 2 == 0);
        }
    }

    private void resetAll(final boolean kvMemoryKept)
    {
        if (!kvMemoryKept)
        {
            Arrays.stream(devices).forEach(ModelDevice::forget);
        }
        lost.clear();
        writer.backendReset().timeNanos(++now).newEpoch(++epoch).kvMemoryKept(kvMemoryKept ? Flag.YES : Flag.NO);
        apply(null);
    }

    /** Runs until every request has ended. */
    private void drain()
    {
        if (faults)
        {
            resetAll(true);
        }
        int rounds = 0;
        while (!live.isEmpty() || Arrays.stream(devices).anyMatch(device -> device.inFlight() > 0))
        {
            assertTrue(rounds++ < MOST_ROUNDS, () -> "requests " + live + " never end");
            if (scheduler.wantsWake())
            {
                wake();
            }
            boolean any = false;
            for (int rank = 0; rank < devices.length; rank++)
            {
                any |= devices[rank].inFlight() > 0;
                launch(rank);
                land(rank);
            }
            if (!any && !scheduler.wantsWake())
            {
                assertTrue(scheduler.nextDeadlineNanos() < Long.MAX_VALUE, () -> "requests " + live + " stall");
                now = Math.max(now, scheduler.nextDeadlineNanos());
                tick(0);
            }
        }
        for (int rank = 0; rank < devices.length; rank++)
        {
            assertEquals(0, scheduler.blocks(rank).allocator().owned(), "blocks that nobody needs are owned");
            assertEquals(0, scheduler.load(rank).activeRequests());
            assertFalse(scheduler.blocks(rank).isRetiring(), "blocks wait for no step");
        }
    }

    private void apply(final UnsafeBuffer rows)
    {
        group.reset();
        scheduler.apply(writer.buffer(), 0, writer.length(), rows, 0, group);
        outputs.scheduled.clear();
        outputs.readGroup(group.buffer(), 0, group.length());
    }

    /** Follows the decisions. */
    private final class Outputs extends EventReader
    {
        private final Set<Integer> scheduled = new HashSet<>();

        @Override
        protected void onAccepted(final AcceptedDecoder message)
        {
            live.add(message.requestId());
            emitted.put(message.requestId(), new ArrayList<>());
        }

        @Override
        protected void onRefused(final RefusedDecoder message)
        {
            ended.put(message.requestId(), FreeReason.FAILED);
        }

        @Override
        protected void onSchedule(final StepView step)
        {
            assertTrue(scheduled.add(step.rank()), "one plan per rank and group");
            final Set<Long> requests = new HashSet<>();
            for (int i = 0; i < step.entryCount(); i++)
            {
                assertTrue(requests.add(step.requestId(i)), "one entry per request and step");
                assertTrue(live.contains(step.requestId(i)), "an entry of a request that has ended");
                assertFalse(cancelled.contains(step.requestId(i)), "an entry of a cancelled request");
                final ModelContent.Prompt prompt = content.prompt(step.requestId(i));
                assertTrue(step.end(i) <= Math.max(prompt.tokens(), prompt.tokens() + prompt.newTokens() - 1),
                    "no position is computed whose token is never fed");
                assertTrue(step.start(i) < step.end(i));
            }
            devices[step.rank()].submit(step);
        }

        @Override
        protected void onWithdrawn(final WithdrawnDecoder message)
        {
            withdrawnSteps++;
            devices[message.rank()].abort(message.step());
            assertEquals("", message.detail(), "a sound completion was refused");
        }

        @Override
        protected void onCommit(final CommitView commit)
        {
            int token = 0;
            for (int entry = 0; entry < commit.entryCount(); entry++)
            {
                final long id = commit.requestId(entry);
                deadEntries.merge(id, commit.verdict(entry) == EntryVerdict.DEAD ? 1 : 0, Integer::sum);
                voidEntries += commit.verdict(entry) == EntryVerdict.VOID ? 1 : 0;
                for (int i = 0; i < commit.emitted(entry); i++)
                {
                    assertTrue(live.contains(id), "a token of a request that has ended");
                    assertFalse(cancelled.contains(id), "a token after the cancel");
                    emitted.get(id).add(commit.token(token++));
                }
            }
        }

        @Override
        protected void onFree(final FreeDecoder free)
        {
            final long id = free.requestId();
            assertTrue(live.remove(id), "a request ends once");
            assertNull(ended.put(id, free.reason()));
            fencedFrees += free.fenceStep() > 0 ? 1 : 0;
            final List<Integer> expected = content.tokens(id);
            if (free.reason() == FreeReason.LENGTH || free.reason() == FreeReason.STOP)
            {
                assertEquals(expected, emitted.get(id), "tokens of request " + id);
                final ModelContent.Prompt prompt = content.prompt(id);
                checkRows(id, Math.max(prompt.tokens(), prompt.tokens() + expected.size() - 1), free);
            }
            else
            {
                assertEquals(expected.subList(0, emitted.get(id).size()), emitted.get(id), "tokens of request " + id);
            }
            assertEquals(emitted.get(id).size(), free.generatedTokens());
        }
    }

    private void checkRows(final long id, final int count, final FreeDecoder free)
    {
        assertEquals(count, free.capturedRows() + free.inheritedRows(), "rows of request " + id);
        assertEquals(0, free.missingRows());
        final short[] ids = scheduler.rows(id).copy(0, count).ids();
        for (int position = 0; position < count; position++)
        {
            for (int place = 0; place < SHAPE.rowIds(); place++)
            {
                assertEquals(ModelContent.expert(content.of(id, position), SHAPE, place),
                    ids[position * SHAPE.rowIds() + place], "row " + position + " of request " + id);
            }
        }
    }

    /** A request that stopped by a token cost at most depth - 1 dead entries; one that reached its length, none. */
    void checkDeadEntries()
    {
        ended.forEach((id, reason) ->
        {
            final int dead = deadEntries.getOrDefault(id, 0);
            if (reason == FreeReason.STOP)
            {
                assertTrue(dead <= config.depth() - 1, () -> dead + " dead entries of request " + id);
            }
            else if (reason == FreeReason.LENGTH && config.draftTokens() == 0)
            {
                assertEquals(0, dead, "dead entries of request " + id);
            }
        });
    }

    long withdrawnSteps()
    {
        return withdrawnSteps;
    }

    long voidEntries()
    {
        return voidEntries;
    }

    long fencedFrees()
    {
        return fencedFrees;
    }
}
