// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.event.codec.SubmitDecoder;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** The tenants of requests, each name once. */
public final class TenantNames
{
    private final Map<String, String> names = new HashMap<>();

    /** The tenant, or the cache key as text; empty if there is none. Reads the message up to there. */
    public String of(final SubmitDecoder submit)
    {
        submit.skipBlockHashes();
        final byte[] key = new byte[submit.cacheKeyLength()];
        submit.getCacheKey(key, 0, key.length);
        final String name = new String(key, StandardCharsets.UTF_8);
        return names.computeIfAbsent(name, same -> same);
    }
}
