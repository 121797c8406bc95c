// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import java.util.List;

/**
 * The routed experts of a request's tokens.
 *
 * @param start   position of the first row.
 * @param rows    number of rows.
 * @param ids     {@code [row][MoE layer][k]}, {@code rows * moeLayers * topK} logical expert ids;
 *                {@link RoutedExpertPages#MISSING} in every place of a row that is missing.
 * @param weights which weights computed which rows, by position in the request, in ascending order; empty if there is no
 *                row, or the copy came from {@link RequestRows#copy}, which does not know.
 */
public record RoutedExperts(int start, int rows, ModelShape shape, short[] ids, List<WeightSpan> weights)
{
    /** The same rows with the parts of the spans that concern them. */
    public RoutedExperts withWeights(final List<WeightSpan> spans)
    {
        return new RoutedExperts(start, rows, shape, ids, spans.stream()
            .map(span -> new WeightSpan(
                Math.max(span.from(), start), Math.min(span.to(), start + rows), span.generation()))
            .filter(span -> span.from() < span.to())
            .toList());
    }

    public short expert(final int row, final int moeLayer, final int k)
    {
        return ids[(row * shape.moeLayers() + moeLayer) * shape.topK() + k];
    }
}
