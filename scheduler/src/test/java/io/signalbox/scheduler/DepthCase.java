// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.AdmissionPromise;
import io.signalbox.batch.QueueOrder;
import io.signalbox.batch.UnderPressure;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One run of a {@link DepthRig}: everything that it depends on.
 *
 * @param acceptance percentage of draft tokens that are right.
 * @param shape      decides sizes of pool, blocks and batch.
 */
record DepthCase(
    int depth, int drafts, int acceptance, boolean faults, boolean lockStep, int shape, List<Integer> actions)
{
    static final int MOST_ACTIONS = 250;
    static final int MOST_ACTION = 200_000;
    static final int MOST_SHAPE = 9999;
    static final List<Integer> ACCEPTANCES = List.of(0, 50, 90, 100);

    static DepthCase of(final long seed)
    {
        final SplittableRandom random = new SplittableRandom(seed);
        final int depth = 1 + random.nextInt(4);
        final int drafts = random.nextInt(4);
        final int acceptance = ACCEPTANCES.get(random.nextInt(ACCEPTANCES.size()));
        final boolean faults = random.nextBoolean();
        final boolean lockStep = random.nextInt(4) == 0;
        final int shape = random.nextInt(MOST_SHAPE + 1);
        final int count = 50 + random.nextInt(MOST_ACTIONS - 50);
        final List<Integer> actions = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            actions.add(random.nextInt(MOST_ACTION + 1));
        }
        return new DepthCase(depth, drafts, acceptance, faults, lockStep, shape, actions);
    }

    /** Plays the run; returns what it counted and decided. */
    DepthRig play()
    {
        return play(config().build());
    }

    SchedulerConfig.Builder config()
    {
        return SchedulerConfig.builder()
            .ranks(1 + shape / 4 % 2)
            .blockSizeTokens(blockSize())
            .kvBlocks(4 + shape / 8 % 9)
            .stepTokens(1 + shape / 160 % 12)
            .maxRunning(2 + shape / 1920 % 4)
            .router("round-robin").lockStep(lockStep).backOffNanos(shape % 3 * 10).maxFailures(shape % 5)
            .set(BatchSettings.UNDER_PRESSURE, UnderPressure.values()[shape / 3 % 2])
            .set(BatchSettings.PAUSED_BLOCKS, shape / 7 % 3 == 0 ? shape / 21 % 5 : 100)
            .set(BatchSettings.MAX_PREEMPTIONS, shape / 5 % 7 < 3 ? shape / 5 % 7 : 100)
            .set(BatchSettings.ADMISSION_PROMISE, AdmissionPromise.values()[shape / 11 % 6 / 4])
            .set(BatchSettings.WATERMARK_BLOCKS, shape / 13 % 4 == 0 ? shape / 52 % 3 : 0)
            .set(BatchSettings.LONG_PREFILL_TOKENS, shape / 17 % 4 == 0 ? 1 + shape / 68 % 5 : 0)
            .set(BatchSettings.MAX_LONG_PREFILLS, 1 + shape / 19 % 2)
            .set(BatchSettings.QUEUE_ORDER, QueueOrder.values()[shape / 23 % 2])
            .set(BatchSettings.MAX_TENANTS, 1 + shape / 29 % 3)
            .depth(depth).draftTokens(drafts).sameStepSharing(shape % 7 < 4)
            .capture(DepthRig.SHAPE.withCombineWeights(shape / 41 % 2 == 0)).digestInterval(3);
    }

    private int blockSize()
    {
        return 1 + shape % 4 + (shape / 37 % 3 == 0 ? 3 : 0);
    }

    DepthRig play(final SchedulerConfig config)
    {
        final DepthRig rig = new DepthRig(config, acceptance);
        new DepthRun(rig, faults).play(actions);
        return rig;
    }

    String parameters()
    {
        return "depth " + depth + ", drafts " + drafts + ", acceptance " + acceptance + " %, faults " + faults +
            ", lock-step " + lockStep + ", shape " + shape + ", " + actions.size() + " actions";
    }
}
