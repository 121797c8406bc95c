// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.DocumentSchema;
import io.signalbox.JsonInline;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.experts.RoutedExperts.RowState;
import io.signalbox.experts.WeightSpan;
import io.signalbox.inspect.EndedRequest;

import java.util.ArrayList;
import java.util.List;

/**
 * The file {@code ID.json} of {@code experts}, with which the rows can be read without the journal. Positions count from the
 * first token of the request.
 *
 * @param requestId          the request; the file {@code ID.2.json} is of the second request with an id
 * @param end                why the request ended
 * @param file               the file of the ids; {@code null} if they are in {@code ids}
 * @param combineWeightsFile with {@code --format npy}: the file of the combine weights, float32 of the same shape; else, or
 *                           if none were captured, {@code null}
 * @param type               type of the ids, {@code int16}
 * @param shape              rows, MoE layers and top-k
 * @param experts            experts per layer
 * @param layers             layer of the model for each MoE layer
 * @param start              position of the first row
 * @param promptRows         rows of prompt tokens; they come first
 * @param generatedRows      rows of generated tokens
 * @param captured           rows that were captured for the request
 * @param inherited          rows that came from another request with the same prefix
 * @param missing            rows that are missing; their ids are −1
 * @param inheritedMasked    whether −1 was written in place of ids of inherited rows
 * @param origins            runs of rows with one origin
 * @param weights            which weights computed which positions
 * @param contents           {@code null} unless {@code --format json} is given
 * @param combineWeights     {@code null} unless {@code --format json} is given and combine weights were captured
 */
@DocumentSchema("signalbox.rows/1")
record RowDescription(
    long requestId,
    FreeReason end,
    String file,
    String combineWeightsFile,
    String type,
    int[] shape,
    int experts,
    List<Integer> layers,
    int start,
    int promptRows,
    int generatedRows,
    int captured,
    int inherited,
    int missing,
    boolean inheritedMasked,
    List<Origin> origins,
    List<WeightSpan> weights,
    @JsonInline Ids contents,
    @JsonInline CombineWeights combineWeights)
{
    /**
     * Rows with one origin.
     *
     * @param from   position of the first row
     * @param to     position after the last row
     * @param origin origin of the rows
     */
    record Origin(int from, int to, RowState origin)
    {
    }

    /**
     * The ids of the experts.
     *
     * @param ids with {@code --format json}: the ids by row, MoE layer and choice
     */
    record Ids(int[][][] ids)
    {
    }

    /**
     * The combine weights of the experts.
     *
     * @param combineWeights with {@code --format json}, if combine weights were captured: the weights of the ids;
     *                       {@code null} in a missing row
     */
    record CombineWeights(double[][][] combineWeights)
    {
    }

    /**
     * @param file        the file of the ids; {@code null} if they are in the description.
     * @param weightsFile the file of the combine weights; {@code null} if they have none.
     * @param masked      whether ids of inherited rows were replaced.
     */
    static RowDescription of(
        final EndedRequest request,
        final RoutedExperts rows,
        final String file,
        final String weightsFile,
        final boolean masked)
    {
        final ModelShape shape = rows.shape();
        return new RowDescription(request.requestId(), request.reason(), file, weightsFile, "int16",
            new int[]{rows.rows(), shape.moeLayers(), shape.topK()}, shape.experts(), shape.layerIds(), rows.start(),
            rows.promptRows(), rows.generatedRows(), rows.count(RowState.CAPTURED), rows.count(RowState.INHERITED),
            rows.count(RowState.MISSING), masked, origins(rows), rows.weights(),
            file == null ? new Ids(ids(rows)) : null,
            file == null && rows.hasCombineWeights() ? new CombineWeights(combineWeights(rows)) : null);
    }

    private static List<Origin> origins(final RoutedExperts rows)
    {
        final List<Origin> origins = new ArrayList<>();
        for (int row = 0, end; row < rows.rows(); row = end)
        {
            final RowState state = rows.state(row);
            end = row + 1;
            while (end < rows.rows() && rows.state(end) == state)
            {
                end++;
            }
            origins.add(new Origin(rows.start() + row, rows.start() + end, state));
        }
        return origins;
    }

    private static int[][][] ids(final RoutedExperts rows)
    {
        final int[][][] ids = new int[rows.rows()][rows.shape().moeLayers()][rows.shape().topK()];
        for (int row = 0; row < ids.length; row++)
        {
            for (int layer = 0; layer < ids[row].length; layer++)
            {
                for (int k = 0; k < ids[row][layer].length; k++)
                {
                    ids[row][layer][k] = rows.expert(row, layer, k);
                }
            }
        }
        return ids;
    }

    private static double[][][] combineWeights(final RoutedExperts rows)
    {
        final double[][][] weights = new double[rows.rows()][rows.shape().moeLayers()][rows.shape().topK()];
        for (int row = 0; row < weights.length; row++)
        {
            for (int layer = 0; layer < weights[row].length; layer++)
            {
                for (int k = 0; k < weights[row][layer].length; k++)
                {
                    weights[row][layer][k] = rows.combineWeight(row, layer, k);
                }
            }
        }
        return weights;
    }
}
