// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.ExpertsPlan;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

/** Ids and weights of a token's experts, equal scores included. */
class ExpertChoiceTest
{
    @Property
    void shouldChooseAsDefined(@ForAll final long seed)
    {
        ChoiceByDefinition.check(seed);
    }

    @Test
    void shouldGiveEqualScoresToTheLowestId()
    {
        final int[] ids = new int[3];
        new ExpertChoice(ExpertsPlan.softmax(6, 3, 4, true), null, Precision.F32)
            .choose(new float[] {1, 2, 1, 2, 1, 2}, 0, ids, new float[3], 0);
        assertArrayEquals(new int[] {1, 3, 5}, ids);
    }
}
