// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

/**
 * A token of a model's step.
 *
 * @param table   the blocks of its sequence; tokens of one sequence share the array.
 * @param sampled whether the token behind it is sampled.
 */
record ModelToken(int id, int position, int[] table, boolean sampled)
{
}
