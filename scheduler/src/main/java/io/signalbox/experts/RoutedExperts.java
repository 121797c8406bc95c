// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

/**
 * The routed experts of a request's tokens.
 *
 * @param start position of the first row.
 * @param rows  number of rows.
 * @param ids   {@code [row][MoE layer][k]}, {@code rows * moeLayers * topK} expert ids; {@link RoutedExpertPages#MISSING}
 *              in every place of a row that is missing.
 */
public record RoutedExperts(int start, int rows, ModelShape shape, short[] ids)
{
    public short expert(final int row, final int moeLayer, final int k)
    {
        return ids[(row * shape.moeLayers() + moeLayer) * shape.topK() + k];
    }
}
