// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sweep;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * One combination of values.
 *
 * @param number  its place in the plan, from 0.
 * @param options all options of the cell, by name.
 * @param varied  the values of the dimensions, by name, in the order of the plan.
 * @param key     the hash of all settings: equal in every plan that has this combination.
 */
public record SweepCell(int number, Map<String, SweepValue> options, Map<String, SweepValue> varied, String key)
{
    private static final int KEY_BYTES = 8;

    static SweepCell of(
        final int number, final Map<String, SweepValue> options, final Map<String, SweepValue> varied)
    {
        return new SweepCell(
            number, Collections.unmodifiableMap(options), Collections.unmodifiableMap(varied), key(options));
    }

    private static String key(final Map<String, SweepValue> options)
    {
        final StringBuilder settings = new StringBuilder();
        new TreeMap<>(options).forEach(
            (name, value) -> settings.append(name).append('=').append(value.stored()).append('\n'));
        try
        {
            final byte[] digest =
                MessageDigest.getInstance("SHA-256").digest(settings.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, KEY_BYTES);
        }
        catch (final NoSuchAlgorithmException e)
        {
            throw new IllegalStateException(e);
        }
    }

    /** The values of the dimensions as documents show them. */
    public Map<String, String> settings()
    {
        final Map<String, String> settings = new LinkedHashMap<>();
        varied.forEach((name, value) -> settings.put(name, value.stored()));
        return settings;
    }

    /** Variant and values of the grid, such as {@code half, router=kv-aware}; empty without dimensions. */
    public String label()
    {
        return settings().entrySet().stream()
            .map(each -> each.getKey().equals(SweepPlan.VARIANT) ? each.getValue() : each.getKey() + "=" + each.getValue())
            .collect(Collectors.joining(", "));
    }

    /** Number and values of the dimensions, for sentences. */
    @Override
    public String toString()
    {
        final StringBuilder text = new StringBuilder("cell ").append(number);
        String before = " (";
        for (final Map.Entry<String, SweepValue> each : varied.entrySet())
        {
            text.append(before).append(each.getKey()).append('=').append(each.getValue().stored());
            before = ", ";
        }
        return varied.isEmpty() ? text.toString() : text.append(')').toString();
    }
}
