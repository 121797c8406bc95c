// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.codec.WeightsWay;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Drives a {@link DepthRig} by a list of numbers: each chooses one action, and what it concerns. */
final class DepthRun
{
    private static final int KINDS = 20;

    private final DepthRig rig;
    private final boolean faults;

    DepthRun(final DepthRig rig, final boolean faults)
    {
        this.rig = rig;
        this.faults = faults;
    }

    void play(final List<Integer> actions)
    {
        for (final int action : actions)
        {
            act(action % KINDS, action / KINDS);
        }
        rig.run();
    }

    private void act(final int kind, final int choice)
    {
        if (faults && choice % 3 == 0 && !rig.paused().isEmpty())
        {
            rig.reset(choice % 2 == 0);
        }
        final int rank = choice % rig.devices.length;
        final int detail = choice / rig.devices.length;
        switch (kind)
        {
            case 0 -> submit(detail);
            case 1 -> submitEither(detail);
            case 2 -> submitNextTurn(detail);
            case 3 -> rig.wake();
            case 4, 5, 6, 7, 8, 9 -> launch(rank);
            case 10, 11, 12, 13 -> land(rank);
            case 14 -> releaseRows(detail);
            case 15 -> cancel(detail);
            case 16 -> rig.tick(detail % 50);
            case 17 -> startGeneration(detail);
            case 18 -> faultOr(rank, detail);
            default -> resetOr(rank, detail);
        }
    }

    private void submitEither(final int detail)
    {
        if (detail % 2 == 0)
        {
            submit(detail / 2);
        }
        else
        {
            submitNextTurn(detail / 2);
        }
    }

    private void submit(final int detail)
    {
        final int block = rig.config.blockSizeTokens();
        final int tokens = 1 + detail % (3 * block + 2);
        final int newTokens = detail / 7 % 13;
        if (isTooLong(tokens, newTokens))
        {
            return;
        }
        final int family = detail / 63 % 2;
        final int shared = detail / 252 % 3 == 0 ? Math.min(tokens / block, detail / 5 % 4) * block :
            Math.min(tokens, detail / 756 % (3 * block + 1));
        final List<Integer> stopTokens = switch (detail / 126 % 4)
        {
            case 1 -> List.of(detail % 11);
            case 3 -> List.of(detail % 5, 5 + detail % 3, 11 + detail % 12);
            default -> List.of();
        };
        final int least = detail / 1512 % 3 == 0 ? Math.min(newTokens, detail / 11 % 5) : 0;
        rig.submit(new ModelContent.Prompt(family, 0, shared, tokens, newTokens, stopTokens, least, -1), detail % 3,
            detail % 29 == 0 ? 40 : -1);
    }

    private boolean isTooLong(final int tokens, final int newTokens)
    {
        return Math.max(1, tokens + newTokens - 1) > (rig.config.kvBlocks() - 1) * rig.config.blockSizeTokens();
    }

    /** The prompt repeats an earlier one with its answer, so far, and adds to it. */
    private void submitNextTurn(final int detail)
    {
        if (rig.nextId() == 1)
        {
            submit(detail);
            return;
        }
        final long previous = previous(detail);
        if (detail % 6 == 5)
        {
            sample(previous, detail);
            return;
        }
        final int known = rig.content.prompt(previous).tokens() + rig.emitted(previous).size();
        final int tokens = known + detail / 4 % (rig.config.blockSizeTokens() + 1);
        final int newTokens = detail / 20 % 7;
        if (!isTooLong(tokens, newTokens))
        {
            rig.submit(new ModelContent.Prompt(0, previous, known, tokens, newTokens, List.of()), detail % 3, -1);
        }
    }

    /** Another answer to a prompt, which a request that lives or has ended has computed, or is to compute. */
    private void sample(final long of, final int detail)
    {
        final ModelContent.Prompt prompt = ModelContent.Prompt.sample(of, rig.content.prompt(of), detail / 20 % 7);
        if (!isTooLong(prompt.tokens(), prompt.newTokens()))
        {
            rig.counts.addIf(rig.outputs().live().contains(of), DepthCounts.Kind.SAMPLE);
            rig.submit(prompt, detail % 3, -1);
        }
    }

    /** One of the newest requests, or of those that ended last. */
    private long previous(final int detail)
    {
        final List<Long> ended = rig.outputs().withRows();
        return detail / 140 % 2 == 0 || ended.isEmpty() ? rig.nextId() - 1 - detail % Math.min(4, rig.nextId() - 1) :
            ended.get(ended.size() - 1 - detail % Math.min(4, ended.size()));
    }

    private void launch(final int rank)
    {
        if (rig.devices[rank].canLaunch())
        {
            rig.launch(rank);
        }
    }

    private void land(final int rank)
    {
        if (rig.devices[rank].canLand())
        {
            rig.complete(rank);
        }
    }

    private void releaseRows(final int detail)
    {
        final List<Long> withRows = rig.outputs().withRows();
        if (!withRows.isEmpty())
        {
            // The latest are those that steps in flight still name.
            rig.releaseRows(withRows.get(withRows.size() - 1 - detail % Math.min(3, withRows.size())));
        }
    }

    private void cancel(final int detail)
    {
        final List<Long> paused = rig.paused();
        if (!paused.isEmpty() && detail % 3 < 2)
        {
            rig.cancel(paused.get(detail % paused.size()));
        }
        else if (detail % 5 == 4 && !rig.outputs().live().isEmpty())
        {
            final long id = detail % 2 == 0 ? rig.outputs().live().first() : rig.outputs().live().last();
            rig.stopAfter(id, Math.max(0, rig.emitted(id).size() - detail / 5 % 4));
        }
        else if (rig.nextId() > 1)
        {
            rig.cancel(detail % 4 == 0 || rig.outputs().live().isEmpty() ? 1 + detail % (rig.nextId() - 1) :
                rig.outputs().live().last());
        }
    }

    private void startGeneration(final int detail)
    {
        if (faults && !rig.paused().isEmpty())
        {
            rig.reset(detail % 2 == 0);
            return;
        }
        switch (detail % 16)
        {
            case 7 -> rig.newWeights(WeightsWay.DRAIN);
            case 0, 4 -> rig.resetCache();
            case 1, 9 -> rig.newWeights(WeightsWay.CONTINUE);
            case 3 -> rig.newWeights(WeightsWay.ABORT);
            case 5 -> rig.newWeights(WeightsWay.REQUEUE);
            default ->
            {
            }
        }
    }

    private void faultOr(final int rank, final int detail)
    {
        final int inFlight = rig.devices[rank].inFlight();
        if (!faults || inFlight == 0)
        {
            land(rank);
            return;
        }
        final ModelDevice.Step step = rig.devices[rank].inFlight(detail / 8 % inFlight);
        switch (rig.paused().isEmpty() ? detail % 8 : detail % 2)
        {
            case 0 -> rig.lose(rank, step);
            case 1 -> rig.timeOut(rank, step);
            case 2, 3 -> rig.fail(rank, step);
            case 4 -> completeOutOfOrder(rank);
            case 5 -> repeat(rank, detail);
            default -> completeWrongly(rank, detail);
        }
    }

    private void completeOutOfOrder(final int rank)
    {
        if (rig.devices[rank].landable() > 1)
        {
            rig.counts.add(DepthCounts.Kind.REFUSED_COMPLETION, 1);
            rig.completeTooEarly(rank, rig.devices[rank].landSecond());
        }
    }

    private void completeWrongly(final int rank, final int detail)
    {
        if (rig.devices[rank].canLand())
        {
            final ModelDevice.Result result = rig.devices[rank].land();
            rig.counts.add(DepthCounts.Kind.REFUSED_COMPLETION, 1);
            rig.complete(rank, result,
                ModelDefect.of(detail / 8, rig.spoiledEntry(result) >= 0, result.tokens().tokenCount() > 0));
        }
    }

    /** A step that has landed, or was withdrawn, is reported again. */
    private void repeat(final int rank, final int detail)
    {
        if (rig.devices[rank].canLand())
        {
            rig.forward(rank, rig.devices[rank].inFlight(0));
            assertEquals(List.of(), rig.said(), "what a second Forward of a step leads to");
        }
        final List<ModelDevice.Result> past = rig.devices[rank].past();
        if (!past.isEmpty())
        {
            final ModelDevice.Result result = past.get(detail / 8 % past.size());
            rig.counts.add(DepthCounts.Kind.STALE_COMPLETION, 1);
            rig.forward(rank, result.step());
            assertEquals(List.of(), rig.said(), "what a stale Forward leads to");
            rig.complete(rank, result, ModelDefect.NONE);
            assertEquals(List.of(), rig.said(), "what a stale completion leads to");
        }
    }

    private void resetOr(final int rank, final int detail)
    {
        if (faults && detail % 9 == 4)
        {
            rig.resetRank(rank);
        }
        else if (faults && (detail % 5 == 0 || rig.isLost(rank) || !rig.paused().isEmpty()))
        {
            rig.reset(detail % 2 == 0);
        }
        else
        {
            launch(rank);
        }
    }
}
