// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.Digits;
import io.signalbox.event.codec.FreeReason;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Runs in which some requests are bad: steps that compute a certain position of them fail, always or often, and may cost
 * the rank. Every other step succeeds. No other request may fail, and every request ends. Loaded with mutated classes, too:
 * all it gives back is text.
 */
public final class InnocentRuns
{
    static final int ACTIONS = 150;
    private static final int MOST_ROUNDS = 20_000;
    private static final int ALWAYS = 100;

    private Random random;
    private final DepthRig rig;
    private final Map<Long, Integer> badPositions = new HashMap<>();
    private final Map<Long, Integer> badPercents = new HashMap<>();
    private final List<String> played = new ArrayList<>();
    private final boolean losesRanks;

    /** @param hasRoom one step in flight, and blocks for all requests: suspects and others take turns exactly, or none. */
    InnocentRuns(final long configuration, final boolean hasRoom)
    {
        random = new Digits(configuration);
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
        for (int seed = 0; seed < runs; seed++)
        {
            try
            {
                new InnocentRuns(Digits.list(seed, 1).get(0), false).play(Digits.list(seed, ACTIONS));
            }
            catch (final RuntimeException | AssertionError e)
            {
                return "seed " + seed + ": " + e;
            }
        }
        return null;
    }

    @Override
    public String toString()
    {
        return "configuration " + rig.config.settings() + ", bad are " + badPositions + ", actions " + played;
    }

    /** Plays the actions, then runs to the end in the simplest order. */
    void play(final List<Long> actions)
    {
        for (final long action : actions)
        {
            random = new Digits(action);
            if (random.nextInt(3) == 0)
            {
                submit();
            }
            advance();
        }
        random = new Digits(0);
        for (int rounds = 0; !rig.outputs().live().isEmpty(); rounds++)
        {
            assertTrue(rounds < MOST_ROUNDS, () -> "requests " + rig.outputs().live() + " never end");
            advance();
        }
        rig.run();
        assertEquals(List.of(), mistakes());
    }

    private void advance()
    {
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

    private void submit()
    {
        final long id = rig.nextId();
        final int prompt = 1 + random.nextInt(24);
        final int newTokens = 1 + random.nextInt(8);
        if (random.nextInt(4) == 3)
        {
            badPositions.put(id, random.nextInt(prompt + newTokens - 1));
            badPercents.put(id, random.nextBoolean() ? ALWAYS : 60);
        }
        // A position in a shared block may have been computed for another request.
        final int shared = badPositions.containsKey(id) ? 0 : Math.min(prompt, 4 * random.nextInt(4));
        played.add("submit " + id + ": prompt " + prompt + ", generate " + newTokens + ", " + shared + " tokens shared");
        rig.submit(new ModelContent.Prompt(random.nextInt(2), shared, prompt, newTokens, -1), random.nextInt(2), -1);
    }

    private boolean runDevices()
    {
        boolean any = false;
        for (int rank = 0; rank < rig.devices.length; rank++)
        {
            any |= rig.devices[rank].inFlight() > 0;
            if (rig.devices[rank].canLaunch() && random.nextInt(3) < 2)
            {
                rig.launch(rank);
            }
            if (rig.devices[rank].canLand() && random.nextInt(3) < 2)
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
            rig.complete(rank);
        }
        else if (losesRanks && random.nextInt(3) == 2)
        {
            played.add("lose rank " + rank + " in step " + step.number());
            if (random.nextBoolean())
            {
                rig.timeOut(rank, step);
            }
            else
            {
                rig.lose(rank, step);
            }
            rig.resetRank(rank);
        }
        else
        {
            played.add("fail step " + step.number() + " of rank " + rank);
            rig.fail(rank, step);
        }
    }

    private boolean fails(final ModelDevice.Entry entry)
    {
        final Integer position = badPositions.get(entry.requestId());
        return position != null && entry.start() <= position && position < entry.end() &&
            random.nextInt(100) >= 100 - badPercents.get(entry.requestId());
    }

    private List<String> mistakes()
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
        return mistakes;
    }
}
