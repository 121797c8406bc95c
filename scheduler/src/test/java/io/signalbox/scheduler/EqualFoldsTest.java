// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.EventReader;
import io.signalbox.event.StepView;
import io.signalbox.state.FoldedState;
import io.signalbox.state.RunFold;
import io.signalbox.state.StateCodec;
import io.signalbox.state.StateFold;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

/**
 * The case that keeps a scheduler from being made of a folded state: two runs whose folded states have the same bytes, and
 * whose schedulers decide the next input differently. An image has what the fold lacks.
 */
class EqualFoldsTest
{
    private static final int PROMPT = 8;
    private static final SchedulerConfig CONFIG = SchedulerConfig.builder().ranks(1).blockSizeTokens(4).kvBlocks(12)
        .prefixCaching(false).build();

    /** Two requests run together; then a third one comes. */
    private static final class Run
    {
        private final SchedulerHarness scheduler = new SchedulerHarness(CONFIG);
        private final FoldedState state = new FoldedState(FoldCheck.shape(CONFIG));
        private final RunFold fold = RunFold.of(new StateFold(state));

        private Run(final int firstTokens, final int secondTokens)
        {
            scheduler.submit(1, 1, 0, PROMPT, firstTokens);
            scheduler.submit(2, 2, 0, PROMPT, secondTokens);
            scheduler.run();
            for (final byte[] group : scheduler.groups)
            {
                fold.onGroup(new UnsafeBuffer(group), 0, group.length);
            }
        }

        private byte[] stateBytes()
        {
            final ExpandableArrayBuffer bytes = new ExpandableArrayBuffer();
            final byte[] encoded = new byte[StateCodec.encode(state, bytes, 0)];
            bytes.getBytes(0, encoded);
            return encoded;
        }

        /** The KV blocks that the plan of the third request allocates. */
        private List<Integer> nextBlocks()
        {
            final int before = scheduler.groups.size();
            scheduler.submit(3, 3, 0, PROMPT, 1);
            scheduler.run();
            final List<Integer> blocks = new ArrayList<>();
            final EventReader plans = new EventReader()
            {
                @Override
                protected void onSchedule(final StepView step)
                {
                    for (int i = 0; i < step.changeCount(); i++)
                    {
                        blocks.add(step.changeBlockId(i));
                    }
                }
            };
            scheduler.groups.subList(before, scheduler.groups.size())
                .forEach(group -> plans.readGroup(new UnsafeBuffer(group), 0, group.length));
            return blocks;
        }
    }

    @Test
    void shouldDecideDifferentlyFromEqualFolds()
    {
        final Run firstEndsFirst = new Run(2, 3);
        final Run secondEndsFirst = new Run(3, 2);
        assertArrayEquals(firstEndsFirst.stateBytes(), secondEndsFirst.stateBytes());

        final List<Integer> blocks = firstEndsFirst.nextBlocks();
        assertEquals(PROMPT / CONFIG.blockSizeTokens(), blocks.size());
        assertNotEquals(blocks, secondEndsFirst.nextBlocks(), "free blocks are handed out in the order of their release");
    }

    @Test
    void shouldDecideTheSameAfterTheSameInputs()
    {
        assertEquals(new Run(2, 3).nextBlocks(), new Run(2, 3).nextBlocks());
    }
}
