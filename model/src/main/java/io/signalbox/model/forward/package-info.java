// SPDX-License-Identifier: Apache-2.0

/**
 * Preview: the reference forward pass, in one fixed order of float32 operations.
 *
 * <p>{@link io.signalbox.model.forward.LaneSum} states the order of sums within a token,
 * {@link io.signalbox.model.forward.AttentionPass} that over positions, {@link io.signalbox.model.forward.Precision} what is
 * rounded. Nothing else of a step enters the result of a token, so it has the same bits in every batch, chunk and block.
 */
package io.signalbox.model.forward;
