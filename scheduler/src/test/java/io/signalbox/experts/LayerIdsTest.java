// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** The map from captured layers to layers of the model. */
class LayerIdsTest
{
    private static final ModelShape SHAPE = new ModelShape(4, 64, 2);

    @Test
    void shouldNameTheLayerOfTheModelThatACapturedLayerIs()
    {
        final ModelShape shape = SHAPE.withLayerIds(List.of(3, 4, 5, 9));
        assertEquals(3, shape.layerId(0));
        assertEquals(9, shape.layerId(3));
        assertEquals(2, SHAPE.layerId(2));
        assertNotEquals(SHAPE, shape);
        assertEquals(SHAPE, SHAPE.withLayerIds(List.of(0, 1, 2, 3)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"3,4,5,9|3-5,9", "0,1,2,3|consecutive", "1,3,5,7|1,3,5,7", "0,1,5,6|0-1,5-6"})
    void shouldKeepTheMapInTheRunDescription(final String ids, final String text)
    {
        final ModelShape shape = SHAPE.withLayerIds(Arrays.stream(ids.split(",")).map(Integer::valueOf).toList());
        final Map<String, String> settings = shape.settings();
        assertEquals(text, settings.get("model.layerIds"));
        assertEquals(shape, ModelShape.of(settings));
    }

    /** Run descriptions from before the map. */
    @Test
    void shouldReadARunDescriptionWithoutAMap()
    {
        final Map<String, String> settings = SHAPE.settings();
        settings.remove("model.layerIds");
        assertEquals(SHAPE, ModelShape.of(settings));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0,1,2|moeLayers=4 are captured, but layerIds names 3; name the MoE layers of the model in their order, each once.",
        "0,1,2,3,4|moeLayers=4 are captured, but layerIds names 5; name the MoE layers of the model in their order, each " +
            "once.",
        "0,2,1,3|layerIds names layer 1 behind layer 2; name the MoE layers of the model in their order, each once.",
        "0,1,1,3|layerIds names layer 1 twice; name the MoE layers of the model in their order, each once.",
        "0,1,2,65536|layerIds names layer 65536, which is not between 0 and 65535; name the MoE layers of the model in " +
            "their order, each once.",
        "-1,1,2,3|layerIds names layer -1, which is not between 0 and 65535; name the MoE layers of the model in their " +
            "order, each once."})
    void shouldRefuseAWrongMap(final String ids, final String sentence)
    {
        final List<Integer> map = Arrays.stream(ids.split(",")).map(Integer::valueOf).toList();
        assertEquals(sentence, assertThrows(ConfigException.class, () -> SHAPE.withLayerIds(map)).getMessage());
    }

    @Test
    void shouldTakeNoMapForTheFirstLayers()
    {
        assertEquals(SHAPE, SHAPE.withLayerIds(List.of(3, 4, 5, 9)).withLayerIds(null));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "3-", "-3", "5-3", "1,,2", "1;2", "three", "0-99999", "123456"})
    void shouldRefuseTextThatIsNoMap(final String text)
    {
        assertThrows(ConfigException.class, () -> ModelShape.LAYER_IDS.parse(text));
    }
}
