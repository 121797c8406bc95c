// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import org.junit.jupiter.api.Test;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A router reads requests and ranks, and writes nothing but its decisions. */
class PlacementBatchTest
{
    /** Public methods of the batch that return nothing are those that write to it. */
    @Test
    void shouldLetARouterWriteOnlyDecisions()
    {
        assertEquals(Set.of("loadFrom", "target", "gate", "normaliser", "candidate", "choose"),
            Arrays.stream(PlacementBatch.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && method.getReturnType() == void.class)
                .map(Method::getName).collect(Collectors.toSet()));
        assertEquals(0, PlacementBatch.class.getConstructors().length);
    }

    @Test
    void shouldKeepTheFiguresOfARankWhileItsLoadChanges()
    {
        final PlacementBatchWriter writer = new PlacementBatchWriter(2, 4);
        writer.rank(0, 1, false);
        writer.rank(1, 0, false);
        writer.figure(0, RankFigure.PROMPT_TOKENS, 100);
        writer.add(7, PlacementBatch.NO_CONVERSATION, 50, PlacementBatch.NO_RANK, Relax.NO_PARAMETERS);
        final PlacementBatch batch = writer.batch();
        batch.loadFrom(RankFigure.PROMPT_TOKENS);
        batch.candidate(0, 0, 1, 50, 100, 0);
        batch.choose(0, 0, 50, TieRule.NONE);

        assertEquals(150, batch.loadTokens(0));
        assertEquals(100, batch.figure(0, RankFigure.PROMPT_TOKENS));
        assertEquals(2, batch.activeRequests(0));
        writer.clear();
        assertEquals(0, batch.count());
        assertEquals(2, batch.activeRequests(0));
    }

    @Test
    void shouldAskForTheMatchesOfARequestOnce()
    {
        final int[] probes = new int[1];
        final PlacementBatchWriter writer = new PlacementBatchWriter(2, 4);
        writer.probeBy(request -> writer.matchedTokens(request, 1, 16 * ++probes[0]));
        writer.add(7, PlacementBatch.NO_CONVERSATION, 50, PlacementBatch.NO_RANK, Relax.NO_PARAMETERS);

        assertEquals(0, writer.batch().matchedTokens(0, 0));
        assertEquals(16, writer.batch().matchedTokens(0, 1));
        assertEquals(34, writer.batch().uncachedTokens(0, 1));
        assertEquals(1, probes[0]);
    }
}
