// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.experts.RoutedExperts;
import io.signalbox.export.RoutedExpertsFile;

import java.io.IOException;
import java.nio.file.Path;

/** The form of the ids of exported rows. */
public enum RowFormat
{
    /** {@code ID.npy}: the ids alone. */
    NPY,
    /** {@code ID.npz}: the ids and everything that is known of their rows. */
    NPZ,
    /** The ids are in {@code ID.json}. */
    JSON,
    /** {@code ID.parquet}: a row per position and layer. */
    PARQUET;

    /** The file of the ids; {@code null} if they are in the description. */
    String fileName(final String base)
    {
        return this == JSON ? null : base + "." + EnumNames.label(this);
    }

    void write(final RoutedExperts rows, final Path file) throws IOException
    {
        switch (this)
        {
            case NPY -> RoutedExpertsFile.npy(rows, file);
            case NPZ -> RoutedExpertsFile.npz(rows, file);
            case PARQUET -> ParquetRows.write(rows, file);
            case JSON ->
            {
            }
        }
    }
}
