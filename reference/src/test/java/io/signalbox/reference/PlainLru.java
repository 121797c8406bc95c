// SPDX-License-Identifier: Apache-2.0
package io.signalbox.reference;

import io.signalbox.workload.MooncakeTrace;
import io.signalbox.workload.WorkloadRequest;

import java.util.LinkedHashMap;
import java.util.Map;

/** A cache that knows nothing of prefixes: touches a request's blocks in order and drops the least recently touched. */
final class PlainLru
{
    private PlainLru()
    {
    }

    static PrefixCacheReplay.Result run(final MooncakeTrace trace, final int capacity)
    {
        final Map<Long, Boolean> resident = new LinkedHashMap<>(16, 0.75f, true);
        long blocks = 0;
        long blockHits = 0;
        long tokens = 0;
        long tokenHits = 0;
        long evictions = 0;
        for (final WorkloadRequest request : trace.requests())
        {
            final long[] ids = trace.traceBlockIds(request);
            int matched = 0;
            while (matched < ids.length && resident.containsKey(ids[matched]))
            {
                matched++;
            }
            for (final long id : ids)
            {
                resident.put(id, true);
                if (resident.size() > capacity)
                {
                    resident.remove(resident.keySet().iterator().next());
                    evictions++;
                }
            }
            blocks += ids.length;
            blockHits += matched;
            tokens += request.promptTokens();
            tokenHits += Math.min((long)matched * trace.traceBlockTokens(), request.promptTokens());
        }
        return new PrefixCacheReplay.Result(
            trace.requests().size(), blocks, blockHits, tokens, tokenHits, evictions, new long[] {tokens - tokenHits});
    }
}
