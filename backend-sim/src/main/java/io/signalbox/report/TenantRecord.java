// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.state.RunRequest;

import java.nio.charset.StandardCharsets;

/** The requests of one tenant so far. */
final class TenantRecord
{
    private final String name;
    private final LatencyRecorder ttft = new LatencyRecorder();
    private long submitted;
    private long completed;
    private long servedTokens;
    private long met;
    private long counted;

    TenantRecord(final String name)
    {
        this.name = name;
    }

    /** The tenant that a Submit names, which is its cache key. */
    static String key(final SubmitDecoder request)
    {
        final byte[] key = new byte[request.cacheKeyLength()];
        request.getCacheKey(key, 0, key.length);
        return new String(key, StandardCharsets.UTF_8);
    }

    void submitted()
    {
        submitted++;
    }

    void firstToken(final long nanos)
    {
        ttft.record(nanos);
    }

    void completed(final RunRequest request)
    {
        completed++;
        servedTokens += request.promptTokens() + request.tokens();
    }

    /** @param isMet whether a request of the tenant met the service level. */
    void judged(final boolean isMet)
    {
        counted++;
        met += isMet ? 1 : 0;
    }

    /** @param level {@code null}: goodput is not asked for. */
    RunReport.Tenant tenant(final ServiceLevel level, final long elapsedNanos)
    {
        return new RunReport.Tenant(name, submitted, completed, servedTokens, ttft.summary(),
            level == null ? null : GoodputRecord.of(met, counted, elapsedNanos));
    }
}
