// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the rows of one request as Parquet: a row per position and layer with the origin, the ids of the experts and, if
 * they were captured, the combine weights. Ids of a row that is missing are -1, its weights NaN.
 */
final class ParquetRows
{
    private final ParquetColumn position = new ParquetColumn("position", ParquetColumn.Type.INT64);
    private final ParquetColumn layer = new ParquetColumn("layer", ParquetColumn.Type.INT64);
    private final ParquetColumn origin = new ParquetColumn("origin", ParquetColumn.Type.TEXT);
    private final ParquetColumn experts = new ParquetColumn("experts", ParquetColumn.Type.INT16S);
    private final ParquetColumn weights = new ParquetColumn("combineWeights", ParquetColumn.Type.FLOATS);

    private ParquetRows()
    {
    }

    /** @param file must not exist. */
    static void write(final RoutedExperts rows, final Path file) throws IOException
    {
        try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
        {
            new ParquetRows().write(rows, out);
        }
    }

    private void write(final RoutedExperts rows, final OutputStream out) throws IOException
    {
        final List<ParquetColumn> columns = new ArrayList<>(List.of(position, layer, origin, experts));
        if (rows.hasCombineWeights())
        {
            columns.add(weights);
        }
        final ParquetFile parquet = new ParquetFile(out, columns);
        final ModelShape shape = rows.shape();
        for (int row = 0; row < rows.rows(); row++)
        {
            final String state = EnumNames.label(rows.state(row));
            for (int at = 0; at < shape.moeLayers(); at++)
            {
                position.add((long)rows.start() + row);
                layer.add((long)shape.layerIds().get(at));
                origin.add(state);
                for (int k = 0; k < shape.topK(); k++)
                {
                    experts.addInt16(k > 0, rows.expert(row, at, k));
                    if (rows.hasCombineWeights())
                    {
                        weights.addFloat(k > 0, rows.combineWeight(row, at, k));
                    }
                }
                parquet.endRow();
            }
        }
        parquet.end();
    }
}
