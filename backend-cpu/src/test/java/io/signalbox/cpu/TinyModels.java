// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.forward.ForwardModel;

/** Small models for tests. */
final class TinyModels
{
    private TinyModels()
    {
    }

    /** The built-in shape with the weights of one seed. */
    static ForwardModel generated()
    {
        return ForwardModel.of(generation(0));
    }

    /** The weights of a generation of a run whose weights are replaced; those of generation 0 are {@link #generated}. */
    static ModelWeights generation(final int number)
    {
        return GeneratedModel.weights(GeneratedModel.tiny(), 7 + number);
    }
}
