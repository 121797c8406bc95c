// SPDX-License-Identifier: Apache-2.0

/**
 * Preview: checkpoints of MoE models, and generated models.
 *
 * <p>{@link io.signalbox.model.Checkpoint} reads a directory as Hugging Face's transformers writes it; {@link
 * io.signalbox.model.GeneratedModel} makes weights of any shape from a seed. Both give {@link
 * io.signalbox.model.ModelWeights}. Files are hostile input: each fault ends in a {@link
 * io.signalbox.model.ModelException}, before memory is allocated for it.
 */
package io.signalbox.model;
