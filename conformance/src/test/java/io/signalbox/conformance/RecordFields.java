// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Reads fields of router records. */
final class RecordFields
{
    private RecordFields()
    {
    }

    /** Refuses other fields than these: a checker that passes over one would check less than was recorded. */
    static void only(final String what, final JsonNode object, final String required, final String optional)
    {
        final Set<String> missing = words(required);
        final Set<String> unknown = new TreeSet<>();
        object.fieldNames().forEachRemaining(unknown::add);
        missing.removeAll(unknown);
        unknown.removeAll(words(required));
        unknown.removeAll(words(optional));
        Divergence.check("fields of " + what + " that are missing", Set.of(), missing);
        Divergence.check("fields of " + what + " that are not known", Set.of(), unknown);
    }

    private static Set<String> words(final String words)
    {
        final Set<String> set = new TreeSet<>(List.of(words.split(" ")));
        set.remove("");
        return set;
    }

    static List<Long> longs(final JsonNode array)
    {
        final List<Long> longs = new ArrayList<>();
        array.forEach(value -> longs.add(value.longValue()));
        return longs;
    }

    static List<List<Long>> lists(final JsonNode array)
    {
        final List<List<Long>> lists = new ArrayList<>();
        array.forEach(value -> lists.add(longs(value)));
        return lists;
    }

    /** Bit patterns: two doubles are the same here only if every bit is. */
    static List<Long> bits(final JsonNode array)
    {
        final List<Long> bits = new ArrayList<>();
        array.forEach(value -> bits.add(Double.doubleToRawLongBits(value.doubleValue())));
        return bits;
    }
}
