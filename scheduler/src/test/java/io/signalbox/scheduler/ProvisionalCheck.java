// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.Request;

import java.util.HashMap;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** A request that shared blocks with a step which never landed has nothing of that. */
final class ProvisionalCheck
{
    private record Had(int pages, int tokens)
    {
    }

    private final Map<Long, Had> most = new HashMap<>();

    /** The request gave up its blocks; it may run again already. */
    void gaveUp(final Request request, final RankModel.Stay stay, final int blockSize)
    {
        final Had before = most.getOrDefault(request.id(), new Had(0, 0));
        final boolean isWithdrawn = !stay.hasLanded && stay.pendingMatches > 0;
        final boolean appended = stay.registeredMatches + stay.pendingMatches > before.pages;
        final int tokens = stay.hasLanded ? stay.computed : stay.registeredMatches * blockSize;
        final int pages = isWithdrawn && appended ? stay.registeredMatches : stay.table.size();
        final Had had = new Had(Math.max(before.pages, pages), Math.max(before.tokens, tokens));
        if (isWithdrawn && request.stage() != Request.Stage.RUNNING)
        {
            assertTrue(request.rows().pageCount() <= had.pages,
                () -> "request " + request.id() + " keeps rows of a step that was withdrawn: " + had);
            assertTrue(request.computedHighWater() <= had.tokens,
                () -> "request " + request.id() + " counts tokens of a step that was withdrawn: " + had);
        }
        most.put(request.id(), had);
    }
}
