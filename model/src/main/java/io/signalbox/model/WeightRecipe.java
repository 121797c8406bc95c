// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

/**
 * The rule by which {@link GeneratedModel} makes the weights of a matrix, for a device that makes them itself.
 *
 * @param key  of seed and tensor.
 * @param unit of the odd numbers: scale times 2^-24.
 */
public record WeightRecipe(long key, float unit)
{
}
