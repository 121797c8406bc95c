// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The first requests of another workload. A predecessor always comes before its successor, so that none is left out
 * that a kept request waits for.
 */
public final class FirstRequests implements Workload
{
    private final Workload whole;
    private final List<WorkloadRequest> requests;

    /** @param count at least 1; a workload with fewer requests is kept whole. */
    public FirstRequests(final Workload whole, final int count)
    {
        if (count < 1)
        {
            throw new ConfigException("a workload of " + count + " requests has nothing to run; ask for at least 1.");
        }
        this.whole = whole;
        this.requests = List.copyOf(whole.requests().subList(0, Math.min(count, whole.requests().size())));
    }

    @Override
    public List<WorkloadRequest> requests()
    {
        return requests;
    }

    @Override
    public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
    {
        return whole.blockHashes(request, blockSizeTokens, target);
    }

    @Override
    public String placeOf(final WorkloadRequest request)
    {
        return whole.placeOf(request);
    }

    @Override
    public Map<String, String> settings()
    {
        final Map<String, String> settings = new TreeMap<>(whole.settings());
        settings.put("workload.firstRequests", Integer.toString(requests.size()));
        return settings;
    }
}
