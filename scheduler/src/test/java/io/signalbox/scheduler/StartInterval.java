// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import java.util.List;

/**
 * The positions at which the next entry of a request can start.
 *
 * @param isBehindChunk whether an entry in flight samples nothing.
 */
record StartInterval(int lowest, int highest, boolean isBehindChunk)
{
    /** @param computed committed tokens of the request. */
    static StartInterval of(final List<RankModel.Step> open, final long id, final int computed)
    {
        int low = computed;
        int high = computed;
        boolean chunk = false;
        for (final RankModel.Step step : open)
        {
            for (final RankModel.Entry entry : step.entries())
            {
                if (entry.id() == id)
                {
                    final boolean isLate = entry.isLate();
                    chunk |= !entry.samples();
                    low += !isLate ? entry.count() : low < entry.end() ? 1 : 0;
                    high = isLate ? Math.max(high, Math.min(high + entry.count(), entry.end())) : high + entry.count();
                }
            }
        }
        return new StartInterval(low, high, chunk);
    }
}
