// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.StateDigest;

import org.agrona.DirectBuffer;

import java.nio.charset.StandardCharsets;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The weight of each tenant: how many tokens it gets for one of a tenant of weight 1.
 *
 * @param byName the tenants whose weight is not 1, by their cache key as UTF-8 text.
 */
public record TenantWeights(TreeMap<String, Integer> byName)
{
    /** Every tenant has weight 1. */
    public static final TenantWeights EQUAL = new TenantWeights(new TreeMap<>());
    /** Its form in words. */
    public static final String FORMS = "none, or tenants with weights of 1 to 1000 such as a=3,b=1";
    private static final int MAX_WEIGHT = 1000;
    private static final String NO_TENANT = "none";

    /** A number for a cache key; those of two keys are equal with a probability of 2^-64. */
    public static long key(final DirectBuffer buffer, final int offset, final int length)
    {
        long key = length;
        for (int i = 0; i < length; i++)
        {
            key = StateDigest.mix(key, buffer.getByte(offset + i));
        }
        return key;
    }

    static long key(final String name)
    {
        final byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        long key = bytes.length;
        for (final byte next : bytes)
        {
            key = StateDigest.mix(key, next);
        }
        return key;
    }

    /** Reads {@link #print}; returns {@code null} if the text has another form. */
    public static TenantWeights parse(final String text)
    {
        final TreeMap<String, Integer> weights = new TreeMap<>();
        for (final String tenant : text.equals(NO_TENANT) ? new String[0] : text.split(",", -1))
        {
            final int end = tenant.lastIndexOf('=');
            final int weight = end < 1 ? 0 : Integer.parseInt(tenant.substring(end + 1));
            if (weight < 1 || weight > MAX_WEIGHT || weights.put(tenant.substring(0, end), weight) != null)
            {
                return null;
            }
        }
        return new TenantWeights(weights);
    }

    public String print()
    {
        return byName.isEmpty() ? NO_TENANT : byName.entrySet().stream()
            .map(tenant -> tenant.getKey() + "=" + tenant.getValue()).collect(Collectors.joining(","));
    }
}
