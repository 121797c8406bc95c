// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Two requests, two steps in flight, three draft tokens: every decision by name. */
class WorkedExampleTest
{
    @Test
    void shouldPlanAndCommitAsInTheExample()
    {
        final DepthRig rig = DepthRig.small(2, 3, 100, 17);
        rig.content.answer(1, 812, 17, 5, 9, 21, 7);
        rig.content.accept(1, 6, 3);
        rig.content.accept(1, 9, 4);
        rig.content.accept(1, 13, 2);
        rig.submit(new ModelContent.Prompt(1, 4, 6, 40, 7), 0, -1).wake();
        assertEquals(List.of("Schedule 1: 1@0+6 <6"), rig.said());
        assertEquals(List.of("Schedule 2: 1@6+4 <10 after 1/0"), rig.launch(0).said());
        assertEquals(List.of("Commit 1: 1@0+6 emits 812"), rig.complete(0).said());
        assertEquals(List.of("Schedule 3: 1@7~3+4 <14 after 2/0"), rig.launch(0).said());
        assertEquals(List.of("Commit 2: 1@6+3 rejected 1 emits 17 5 9"), rig.complete(0).said());
        assertEquals(List.of("Schedule 4: 1@10~3+4 <17 after 3/0"), rig.launch(0).said());
        rig.submit(new ModelContent.Prompt(1, 4, 12, 4, -1), 0, -1);
        assertEquals(List.of("Commit 3: 1@9+2 after stop 2 emits 21 7", "Free 1 STOP fence 4"), rig.complete(0).said());
        assertEquals(List.of("Schedule 5: 2@4+8 <12"), rig.launch(0).said());
        assertEquals(List.of("Commit 4: 1 DEAD"), rig.complete(0).said());
        assertEquals(List.of("Schedule 6: 2@12+3 <15 after 5/0"), rig.launch(0).said());
        rig.run();
        assertEquals(List.of(812, 17, 5, 9, 21, 7), rig.emitted(1));
        assertEquals(11, rig.outputs().ended().get(1L).rows());
    }
}
