// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import io.signalbox.ConfigException;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** The map from captured layers to layers of the model: ascending ids, as text with ranges. */
final class LayerIds
{
    private static final Pattern RANGE = Pattern.compile("([0-9]{1,5})(?:-([0-9]{1,5}))?");
    private static final String REMEDY = "name the MoE layers of the model in their order, each once";

    private LayerIds()
    {
    }

    static List<Integer> consecutive(final int count)
    {
        return IntStream.range(0, count).boxed().toList();
    }

    /** Returns an unmodifiable copy; null counts as the first layers of the model. */
    static List<Integer> checked(final List<Integer> ids, final int moeLayers)
    {
        if (ids == null)
        {
            return consecutive(moeLayers);
        }
        if (ids.size() != moeLayers)
        {
            throw ConfigException.because(ModelShape.MOE_LAYERS.of(moeLayers), " are captured, but ",
                    ModelShape.LAYER_IDS.named(), " names " + ids.size())
                .allowed(Integer.toString(moeLayers)).remedy(REMEDY);
        }
        for (int i = 0; i < ids.size(); i++)
        {
            final int id = ids.get(i);
            if (id < 0 || id >= ModelShape.MAX_MODEL_LAYERS || i > 0 && id <= ids.get(i - 1))
            {
                throw fault(ids, i);
            }
        }
        return List.copyOf(ids);
    }

    private static ConfigException fault(final List<Integer> ids, final int index)
    {
        final int id = ids.get(index);
        final String fault = id < 0 || id >= ModelShape.MAX_MODEL_LAYERS ?
            " names layer " + id + ", which is not between 0 and " + (ModelShape.MAX_MODEL_LAYERS - 1) :
            id == ids.get(index - 1) ? " names layer " + id + " twice" :
            " names layer " + id + " behind layer " + ids.get(index - 1);
        return ConfigException.because(ModelShape.LAYER_IDS.named(), fault).allowed("ascending layers").remedy(REMEDY);
    }

    /** Reads single layers and ranges with both ends, separated by commas; null if the text is neither. */
    static List<Integer> parse(final String text)
    {
        final List<Integer> ids = new ArrayList<>();
        for (final String part : text.split(",", -1))
        {
            final Matcher matcher = RANGE.matcher(part);
            if (!matcher.matches() || ids.size() > ModelShape.MAX_MOE_LAYERS)
            {
                return null;
            }
            final int first = Integer.parseInt(matcher.group(1));
            final int last = matcher.group(2) == null ? first : Integer.parseInt(matcher.group(2));
            if (last < first || last - first >= ModelShape.MAX_MOE_LAYERS)
            {
                return null;
            }
            IntStream.rangeClosed(first, last).forEach(ids::add);
        }
        return ids;
    }

    /** Runs of consecutive layers become ranges. */
    static String print(final List<Integer> ids)
    {
        final StringBuilder text = new StringBuilder();
        for (int i = 0, end; i < ids.size(); i = end)
        {
            end = i + 1;
            while (end < ids.size() && ids.get(end) == ids.get(end - 1) + 1)
            {
                end++;
            }
            text.append(i == 0 ? "" : ",").append(ids.get(i)).append(end - i > 1 ? "-" + ids.get(end - 1) : "");
        }
        return text.toString();
    }
}
