// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.trtllm;

import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementBatchWriter;
import io.signalbox.router.RankFigure;
import io.signalbox.router.Relax;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** Recorded wires do not show bad ones. */
class RouterWireTest
{
    private final PlacementBatchWriter batch = new PlacementBatchWriter(2, 4);

    @Test
    void shouldRefuseAStateOfARankThatIsNotThere()
    {
        final long[] wire = new long[RankStateWire.length(RouterEdition.MAIN)];
        RankStateWire.encode(RouterEdition.MAIN, 2, 1, 10, wire);

        assertThrows(IllegalArgumentException.class, () -> RankStateWire.decode(wire, batch, RankFigure.PROMPT_TOKENS));
    }

    @Test
    void shouldRefuseAnIdWithoutItsMatchAndPassOverRequestsOfOthers()
    {
        batch.add(7, PlacementBatch.NO_CONVERSATION, 100, -1, Relax.NO_PARAMETERS);
        PrefixMatchWire.decode(new long[] {9, 32, 7, 64}, 4, batch, 1);

        assertEquals(64, batch.batch().matchedTokens(0, 1));
        assertEquals(0, batch.batch().matchedTokens(0, 0));
        assertThrows(IllegalArgumentException.class, () -> PrefixMatchWire.decode(new long[] {7, 64, 7}, 3, batch, 1));
    }
}
