// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.experts.RoutedExperts.RowState;
import io.signalbox.experts.WeightSpan;
import io.signalbox.inspect.EndedRequest;

import java.io.IOException;

/** Describes the exported rows of one request, so that they can be read without the journal. */
final class RowDescription
{
    private RowDescription()
    {
    }

    /**
     * @param file        the file of the ids; {@code null} if they are in the description.
     * @param weightsFile the file of the combine weights; {@code null} if they have none.
     * @param masked      whether ids of inherited rows were replaced.
     */
    static String text(
        final EndedRequest request,
        final RoutedExperts rows,
        final String file,
        final String weightsFile,
        final boolean masked)
    {
        return Json.text("signalbox.rows/1", json ->
        {
            json.writeNumberField("requestId", request.requestId());
            json.writeStringField("end", EnumNames.label(request.reason()));
            json.writeStringField("file", file);
            json.writeStringField("combineWeightsFile", weightsFile);
            json.writeStringField("type", "int16");
            final ModelShape shape = rows.shape();
            numbers(json, "shape", rows.rows(), shape.moeLayers(), shape.topK());
            json.writeNumberField("experts", shape.experts());
            numbers(json, "layers", shape.layerIds().stream().mapToInt(Integer::intValue).toArray());
            json.writeNumberField("start", rows.start());
            json.writeNumberField("promptRows", rows.promptRows());
            json.writeNumberField("generatedRows", rows.generatedRows());
            json.writeNumberField("captured", rows.count(RowState.CAPTURED));
            json.writeNumberField("inherited", rows.count(RowState.INHERITED));
            json.writeNumberField("missing", rows.count(RowState.MISSING));
            json.writeBooleanField("inheritedMasked", masked);
            origins(json, rows);
            weights(json, rows);
            if (file == null)
            {
                numbers(json, "ids", rows, at -> json.writeNumber(at.rows.expert(at.row, at.layer, at.k)));
                if (rows.hasCombineWeights())
                {
                    numbers(json, "combineWeights", rows,
                        at -> Json.real(json, at.rows.combineWeight(at.row, at.layer, at.k)));
                }
            }
        });
    }

    private static void numbers(final JsonGenerator json, final String name, final int... values) throws IOException
    {
        json.writeFieldName(name);
        json.writeArray(values, 0, values.length);
    }

    /** Runs of rows with one origin, by position in the request. */
    private static void origins(final JsonGenerator json, final RoutedExperts rows) throws IOException
    {
        json.writeArrayFieldStart("origins");
        for (int row = 0, end; row < rows.rows(); row = end)
        {
            final RowState state = rows.state(row);
            end = row + 1;
            while (end < rows.rows() && rows.state(end) == state)
            {
                end++;
            }
            json.writeStartObject();
            json.writeNumberField("from", rows.start() + row);
            json.writeNumberField("to", rows.start() + end);
            json.writeStringField("origin", EnumNames.label(state));
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void weights(final JsonGenerator json, final RoutedExperts rows) throws IOException
    {
        json.writeArrayFieldStart("weights");
        for (final WeightSpan span : rows.weights())
        {
            json.writeStartObject();
            json.writeNumberField("from", span.from());
            json.writeNumberField("to", span.to());
            json.writeNumberField("generation", span.generation());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** The place of a number in the rows. */
    private record Place(RoutedExperts rows, int row, int layer, int k)
    {
    }

    /** Writes the number of a place. */
    @FunctionalInterface
    private interface NumberAt
    {
        void write(Place place) throws IOException;
    }

    private static void numbers(
        final JsonGenerator json, final String name, final RoutedExperts rows, final NumberAt number) throws IOException
    {
        json.writeArrayFieldStart(name);
        for (int row = 0; row < rows.rows(); row++)
        {
            json.writeStartArray();
            for (int layer = 0; layer < rows.shape().moeLayers(); layer++)
            {
                json.writeStartArray();
                for (int k = 0; k < rows.shape().topK(); k++)
                {
                    number.write(new Place(rows, row, layer, k));
                }
                json.writeEndArray();
            }
            json.writeEndArray();
        }
        json.writeEndArray();
    }
}
