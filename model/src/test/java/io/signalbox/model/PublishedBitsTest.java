// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Packed tensors of published forms have the bits that a reference unpacked. */
class PublishedBitsTest
{
    @ParameterizedTest
    @ValueSource(strings = {"deepseekv3-hub-fp8", "qwen3moe-hub-fp8", "gptoss-narrow-mxfp4", "gptoss-wide-mxfp4"})
    void shouldUnpackTheBitsOfTheReference(final String name) throws Exception
    {
        final Path directory = SharedModels.variant("hub").resolve(name);
        final JsonNode reference = new ObjectMapper().readTree(directory.resolve("reference.json").toFile());
        final Map<String, String> expected = new TreeMap<>();
        reference.get("unpacked").properties().forEach(each -> expected.put(each.getKey(), each.getValue().asText()));
        final Map<String, String> unpacked = new TreeMap<>(UnpackedWeights.digests(directory));
        unpacked.keySet().retainAll(expected.keySet());

        assertTrue(expected.size() >= 4, expected.toString());
        assertEquals(expected, unpacked);
    }
}
