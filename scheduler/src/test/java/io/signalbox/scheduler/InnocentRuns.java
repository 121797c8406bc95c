// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.FreeReason;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Seeded runs in which some requests are bad: steps that compute a certain position of them fail, always or often, and may
 * cost the rank. Every other step succeeds. No other request may fail, and every request ends.
 */
public final class InnocentRuns
{
    private static final int MOST_ROUNDS = 20_000;
    private static final int ALWAYS = 100;

    private final SplittableRandom random;
    private final DepthRig rig;
    private final Map<Long, Integer> badPositions = new HashMap<>();
    private final Map<Long, Integer> badPercents = new HashMap<>();
    private final boolean losesRanks;

    /** @param hasRoom one step in flight, and blocks for all requests. */
    private InnocentRuns(final long seed, final boolean hasRoom)
    {
        random = new SplittableRandom(seed);
        losesRanks = random.nextInt(3) == 0;
        rig = new DepthRig(SchedulerConfig.builder().ranks(1 + random.nextInt(2)).blockSizeTokens(4)
            .kvBlocks(hasRoom ? WaitingCheck.ROOM_FOR_ALL : 12 + random.nextInt(60))
            .stepTokens(6 + random.nextInt(30)).maxRunning(1 + random.nextInt(12))
            .set(BatchSettings.SUSPECT_TURNS, random.nextInt(4) > 0)
            .router("round-robin").lockStep(random.nextInt(4) == 0).depth(hasRoom ? 1 : 1 + random.nextInt(4))
            .draftTokens(random.nextInt(3)).maxFailures(1 + random.nextInt(3)).backOffNanos(random.nextInt(2) * 10)
            .ranksReturn(true).capture(DepthRig.SHAPE).digestInterval(3).build(), 70);
    }

    /** Plays runs of the seeds from 0 on until one fails; returns why, or null. */
    public static String firstFailure(final int runs)
    {
        return firstFailure(runs, false);
    }

    /** The same with one step in flight and blocks for all requests: suspects and others take turns exactly, or none. */
    public static String firstFailureWithRoom(final int runs)
    {
        return firstFailure(runs, true);
    }

    private static String firstFailure(final int runs, final boolean hasRoom)
    {
        for (int seed = 0; seed < runs; seed++)
        {
            final String failure = failure(seed, hasRoom);
            if (failure != null)
            {
                return failure;
            }
        }
        return null;
    }

    private static String failure(final long seed, final boolean hasRoom)
    {
        final InnocentRuns run = new InnocentRuns(seed, hasRoom);
        try
        {
            final String mistake = run.play();
            return mistake == null ? null : "seed " + seed + ": " + mistake;
        }
        catch (final RuntimeException | AssertionError e)
        {
            return "seed " + seed + ": " + e;
        }
    }

    private String play()
    {
        final int requests = 4 + random.nextInt(30);
        int rounds = 0;
        while (rig.nextId() <= requests || !rig.outputs().live().isEmpty())
        {
            if (rounds++ == MOST_ROUNDS)
            {
                return "requests " + rig.outputs().live() + " never end; bad are " + badPositions;
            }
            if (rig.nextId() <= requests && random.nextInt(3) == 0)
            {
                submit();
            }
            if (rig.scheduler.wantsWake())
            {
                rig.wake();
            }
            if (!runDevices())
            {
                final long next = rig.scheduler.nextDeadlineNanos();
                rig.tick(next == Long.MAX_VALUE ? 0 : (int)Math.max(0, next - rig.scheduler.timeNanos()));
            }
        }
        rig.drain();
        return mistake();
    }

    private void submit()
    {
        final long id = rig.nextId();
        final int prompt = 1 + random.nextInt(24);
        final int newTokens = 1 + random.nextInt(8);
        if (random.nextInt(4) == 0)
        {
            badPositions.put(id, random.nextInt(prompt + newTokens - 1));
            badPercents.put(id, random.nextBoolean() ? ALWAYS : 60);
        }
        // A position in a shared block may have been computed for another request.
        final int shared = badPositions.containsKey(id) ? 0 : Math.min(prompt, 4 * random.nextInt(4));
        rig.submit(new ModelContent.Prompt(random.nextInt(2), shared, prompt, newTokens, -1), random.nextInt(2), -1);
    }

    private boolean runDevices()
    {
        boolean any = false;
        for (int rank = 0; rank < rig.devices.length; rank++)
        {
            any |= rig.devices[rank].inFlight() > 0;
            if (rig.devices[rank].canLaunch() && random.nextInt(3) > 0)
            {
                rig.launch(rank);
            }
            if (rig.devices[rank].canLand() && random.nextInt(3) > 0)
            {
                land(rank);
            }
        }
        return any;
    }

    private void land(final int rank)
    {
        final ModelDevice.Step step = rig.devices[rank].inFlight(0);
        if (step.entries().stream().noneMatch(this::fails))
        {
            rig.land(rank);
        }
        else if (losesRanks && random.nextInt(3) == 0)
        {
            if (random.nextBoolean())
            {
                rig.timeOut(rank, step);
            }
            else
            {
                rig.fault(rank, step, FaultClass.RANK_LOST);
            }
            rig.resetRank(rank);
        }
        else
        {
            rig.fault(rank, step, FaultClass.STEP_FAILED);
        }
    }

    private boolean fails(final ModelDevice.Entry entry)
    {
        final Integer position = badPositions.get(entry.requestId());
        return position != null && entry.start() <= position && position < entry.end() &&
            random.nextInt(100) < badPercents.get(entry.requestId());
    }

    private String mistake()
    {
        final List<String> mistakes = new ArrayList<>();
        rig.outputs().ended().forEach((id, end) ->
        {
            final boolean isAlwaysBad = badPercents.getOrDefault(id, 0) == ALWAYS;
            if (end.reason() == FreeReason.FAILED ? !badPositions.containsKey(id) : isAlwaysBad)
            {
                mistakes.add("request " + id + " ended as " + end.reason() + (isAlwaysBad ? ", and is bad" : ""));
            }
        });
        return mistakes.isEmpty() ? null : mistakes + "; bad are " + badPositions;
    }
}
