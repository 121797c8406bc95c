// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.model.LayerWeights;
import io.signalbox.model.ModelWeights;

import java.util.ArrayList;
import java.util.List;

/** A model with one weight that is no finite number, which no checkpoint may have. */
public final class NoNumberPlant
{
    private NoNumberPlant()
    {
    }

    /** @param layer whose router then has such scores; the number of layers: the logits are such. */
    public static ModelWeights in(final ModelWeights weights, final int layer, final float planted)
    {
        final List<LayerWeights> layers = new ArrayList<>(weights.layers());
        float[] norm = weights.finalNorm();
        if (layer < layers.size())
        {
            final LayerWeights from = layers.get(layer);
            layers.set(layer, new LayerWeights(from.inputNorm(), from.attention(),
                planted(from.postAttentionNorm(), planted), from.dense(), from.moe()));
        }
        else
        {
            norm = planted(norm, planted);
        }
        return new ModelWeights(weights.plan(), weights.embedding(), layers, norm, weights.head());
    }

    private static float[] planted(final float[] norm, final float planted)
    {
        final float[] changed = norm.clone();
        changed[changed.length / 2] = planted;
        return changed;
    }
}
