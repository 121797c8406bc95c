// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.config.Setting;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The first requests of another workload. A predecessor always comes before its successor, so that none is left out
 * that a kept request waits for.
 */
public final class FirstRequests implements Workload
{
    public static final Setting<Integer> COUNT = Setting.integer("firstRequests", "requests", Integer.MAX_VALUE, 1,
        Integer.MAX_VALUE, "Only the first requests of a workload run.").remedy("ask for at least 1 request")
        .option("--limit", "N", "Run only the first N requests of the workload");
    public static final List<Setting<?>> SETTINGS = List.of(COUNT);

    private final Workload whole;
    private final List<WorkloadRequest> requests;

    /** @param count at least 1; a workload with fewer requests is kept whole. */
    public FirstRequests(final Workload whole, final int count)
    {
        COUNT.check(count);
        this.whole = whole;
        this.requests = List.copyOf(whole.requests().subList(0, Math.min(count, whole.requests().size())));
    }

    @Override
    public List<WorkloadRequest> requests()
    {
        return requests;
    }

    @Override
    public PromptText text()
    {
        return whole.text();
    }

    @Override
    public String tenant(final WorkloadRequest request)
    {
        return whole.tenant(request);
    }

    @Override
    public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
    {
        return whole.blockHashes(request, blockSizeTokens, target);
    }

    @Override
    public int answerNames(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
    {
        return whole.answerNames(request, blockSizeTokens, target);
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
        settings.put("workload." + COUNT, COUNT.print(requests.size()));
        return settings;
    }
}
