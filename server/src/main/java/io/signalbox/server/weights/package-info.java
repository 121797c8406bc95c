// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: weights that replace those of a served model.
 *
 * <p>{@link io.signalbox.server.weights.WeightsRoot} finds checkpoints below one directory, and no others.
 */
package io.signalbox.server.weights;
