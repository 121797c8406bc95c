// SPDX-License-Identifier: Apache-2.0
package io.signalbox.serving;

import io.signalbox.backend.Backend;
import io.signalbox.model.ModelWeights;

/** A backend that computes a model. If it declares {@code swapsWeights}, its weights can be replaced while it runs. */
public interface ModelBackend extends Backend
{
    /**
     * Loads weights for a later switch in the calling thread, while steps compute with the current weights. It drops a set
     * that was prepared before and not announced. One set is prepared at a time.
     *
     * @param name    for people and the journal, such as the name of a checkpoint; may be empty.
     * @param weights have the plan that the backend computes.
     * @return the version, for {@code SignalboxEngine.newWeights}: the name and the digest of the weights.
     * @throws io.signalbox.ConfigException if the backend cannot replace its weights, the plan differs, a file is damaged or
     *                                      changes, or memory is short. The backend keeps its weights.
     */
    String prepareWeights(String name, ModelWeights weights);
}
