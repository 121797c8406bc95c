// SPDX-License-Identifier: Apache-2.0
package io.signalbox.serving;

import io.signalbox.backend.Backend;
import io.signalbox.model.ModelWeights;

/** A backend that computes a model, whose weights can be replaced while it runs if it declares that. */
public interface ModelBackend extends Backend
{
    /**
     * Loads weights for a later switch, in the calling thread, while steps compute with the current weights. A set that was
     * prepared before and not announced is given up. One set is prepared at a time.
     *
     * @param name    for people and the journal, such as that of a checkpoint; may be empty.
     * @param weights of the plan that the backend computes.
     * @return the version, for {@code SignalboxEngine.newWeights}: the name and the digest of the weights.
     * @throws io.signalbox.ConfigException if the backend cannot replace its weights, the plan is another one, a file is
     *                                      damaged or changes, or memory is missing; the backend keeps its weights.
     */
    String prepareWeights(String name, ModelWeights weights);
}
