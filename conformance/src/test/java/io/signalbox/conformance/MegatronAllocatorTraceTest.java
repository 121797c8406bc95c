// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The check is checked: whichever field of a recorded call is changed, missing or too many, it is found, at its record. */
class MegatronAllocatorTraceTest
{
    private static final String MAY = "allocator-2026-05";
    private static final String AUGUST = "allocator-2026-08";

    private static List<JsonNode> read(final String name)
    {
        try
        {
            return VectorFiles.read(Path.of(MegatronAllocatorTraceTest.class
                .getResource("/conformance/megatron/" + name + ".jsonl.gz").toURI()));
        }
        catch (final URISyntaxException e)
        {
            throw new IllegalStateException(e);
        }
    }

    /** A record and the pointer to one of its fields. */
    private record Place(JsonNode record, String pointer)
    {
    }

    /** Every field of the results, as recorded first for each operation, and of the state, for each kind of allocator. */
    private static List<Place> recordedFields(final List<JsonNode> lines)
    {
        final Map<String, Place> places = new LinkedHashMap<>();
        String kind = "";
        for (final JsonNode line : lines.subList(1, lines.size()))
        {
            final String operation = line.get("op").asText();
            if (operation.equals("init"))
            {
                kind = line.at("/args/prefix_caching") + " " + line.at("/args/policy") + " ";
            }
            for (final String pointer : pointers(line))
            {
                final boolean isThere = Alteration.isThere(line.at(pointer));
                places.putIfAbsent((pointer.startsWith("/state") ? kind : operation) + pointer + isThere,
                    new Place(line, pointer));
            }
        }
        return List.copyOf(places.values());
    }

    private static Set<String> pointers(final JsonNode record)
    {
        final Set<String> pointers = new TreeSet<>();
        for (final String level : List.of("", "/state", "/ret"))
        {
            record.at(level).fieldNames().forEachRemaining(name -> pointers.add(level + "/" + name));
        }
        for (final String pointer : List.copyOf(pointers))
        {
            final JsonNode first = record.at(pointer + "/0");
            if (first.isIntegralNumber())
            {
                pointers.add(pointer + "/0");
            }
        }
        pointers.removeIf(pointer -> pointer.matches("/(t|op|args|state|err)"));
        return pointers;
    }

    private static void assertFoundAtItsRecord(final List<JsonNode> lines, final Place place,
        final BiFunction<JsonNode, String, JsonNode> alteration)
    {
        final List<JsonNode> trace = new ArrayList<>();
        final JsonNode number = place.record().get("t");
        for (final JsonNode line : lines.subList(1, lines.size()))
        {
            if (line.get("t").equals(number) && line.get("i").asInt() <= place.record().get("i").asInt())
            {
                trace.add(line == place.record() ? alteration.apply(line, place.pointer()) : line);
            }
        }
        final Outcome outcome = new MegatronAllocatorTrace().run(header(lines), trace);
        final String where = place.record().get("op").asText() + place.pointer() + ", ";
        assertNotNull(outcome.firstDivergence(), where);
        assertEquals(1, outcome.failed(), where);
        assertEquals(trace.size(), outcome.records(), where + outcome.firstDivergence());
        assertTrue(outcome.firstDivergence().startsWith("trace " + number), where + outcome.firstDivergence());
    }

    private static JsonNode header(final List<JsonNode> lines)
    {
        return Alteration.remove(lines.get(0), "/traces");
    }

    @ParameterizedTest
    @ValueSource(strings = {MAY, AUGUST})
    void shouldFindAChangeOfAnyFieldAtItsRecord(final String file)
    {
        final List<JsonNode> lines = read(file);
        final List<Place> places = recordedFields(lines);
        assertTrue(places.size() > 100, places.size() + " fields");
        places.forEach(place -> assertFoundAtItsRecord(lines, place, Alteration::change));
    }

    @ParameterizedTest
    @ValueSource(strings = {MAY, AUGUST})
    void shouldMissAnyFieldThatIsNotThere(final String file)
    {
        final List<JsonNode> lines = read(file);
        for (final Place place : recordedFields(lines))
        {
            if (!place.pointer().endsWith("/0"))
            {
                assertFoundAtItsRecord(lines, place, Alteration::remove);
            }
        }
        for (final Place place : firstOfEachOperation(lines))
        {
            for (final String name : List.of("/op", "/args", "/state"))
            {
                assertFoundAtItsRecord(lines, new Place(place.record(), name), Alteration::remove);
            }
            place.record().get("args").fieldNames().forEachRemaining(name ->
                assertFoundAtItsRecord(lines, new Place(place.record(), "/args/" + name), Alteration::remove));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {MAY, AUGUST})
    void shouldNotPassOverAFieldThatItDoesNotKnow(final String file)
    {
        final List<JsonNode> lines = read(file);
        for (final Place place : firstOfEachOperation(lines))
        {
            for (final String level : List.of("", "/args", "/state"))
            {
                assertFoundAtItsRecord(lines, new Place(place.record(), level + "/surprise"), Alteration::add);
            }
        }
    }

    private static List<Place> firstOfEachOperation(final List<JsonNode> lines)
    {
        final Map<String, Place> first = new LinkedHashMap<>();
        lines.subList(1, lines.size()).forEach(
            line -> first.putIfAbsent(line.get("op").asText(), new Place(line, "")));
        return List.copyOf(first.values());
    }

    @Test
    void shouldRefuseTextsThatItDoesNotKnow()
    {
        final List<JsonNode> lines = read(AUGUST);
        final JsonNode init = lines.get(1);
        for (final String pointer : List.of("/args/policy", "/args/dtype", "/op", "/args/pool_size", "/args/prefix_caching"))
        {
            assertFoundAtItsRecord(lines, new Place(init, pointer), (line, at) -> Alteration.set(line, at, "other"));
        }
        assertFoundAtItsRecord(lines, new Place(lines.get(2), "/op"), (line, at) -> Alteration.set(line, at, "other"));
    }

    @Test
    void shouldMissAnErrorAndFindOneThatWasNotRecorded()
    {
        final List<JsonNode> lines = read(AUGUST);
        final JsonNode failed = lines.stream().filter(line -> line.has("err")).findFirst().orElseThrow();
        for (final JsonNode line : List.of(failed, lines.get(1), lines.get(2)))
        {
            assertFoundAtItsRecord(lines, new Place(line, "/err"), (record, at) -> Alteration.set(record, at, "KeyError"));
        }
        assertFoundAtItsRecord(lines, new Place(failed, "/err"), Alteration::remove);
    }

    @Test
    void shouldGoOnWithTheNextTraceBehindARecordThatCannotBeRead()
    {
        final List<JsonNode> lines = read(AUGUST);
        final List<JsonNode> records = new ArrayList<>(lines.subList(1, lines.size()));
        final JsonNode second = records.get(1);
        records.set(1, Alteration.set(second, "/args", "none"));
        final Outcome outcome = new MegatronAllocatorTrace().run(lines.get(0), records);
        assertEquals(1, outcome.failed());
        final String place = "trace " + second.get("t") + ", record 1, ";
        assertTrue(outcome.firstDivergence().startsWith(place), outcome.firstDivergence());
        assertTrue(outcome.firstDivergence().contains("failed with java.lang.Class"), outcome.firstDivergence());
        final long passedOver = records.stream().filter(record -> record.get("t").equals(second.get("t"))).count() - 2;
        assertEquals(records.size() - passedOver, outcome.records());
    }
}
