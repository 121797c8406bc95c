// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.Collections;
import java.util.List;

/**
 * Sliding windows: in some layers a token sees its own position and those shortly before it, and nothing else.
 *
 * @param positions that a token sees in these layers, its own included; at least 1.
 * @param layers    ascending layers with the window; in the other layers a token sees all positions up to its own.
 */
public record AttentionWindow(int positions, List<Integer> layers)
{
    public AttentionWindow
    {
        layers = List.copyOf(layers);
        if (positions < 1)
        {
            throw new ModelException("a sliding window of " + positions + " positions is impossible",
                "give a window of at least 1 position");
        }
    }

    /** The first position that the token at {@code position} of a layer sees. */
    public int first(final int layer, final int position)
    {
        return Collections.binarySearch(layers, layer) < 0 ? 0 : Math.max(0, position - positions + 1);
    }
}
