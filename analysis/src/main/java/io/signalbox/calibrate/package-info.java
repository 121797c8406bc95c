// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: costs against measurements of served models.
 *
 * <p>{@link io.signalbox.calibrate.PointSelection} reads measured points, and {@link io.signalbox.calibrate.AccuracyScore}
 * compares predictions with them.
 */
package io.signalbox.calibrate;
