// SPDX-License-Identifier: Apache-2.0
package com.example.backend;

import io.signalbox.backend.Backend;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.GeneratedModel;
import io.signalbox.model.ModelWeights;
import io.signalbox.serving.BackendProvider;
import io.signalbox.testkit.BackendContractTest;

/** The backend keeps the contract of all backends. */
class BigramBackendContractTest extends BackendContractTest
{
    private static final ModelWeights WEIGHTS = GeneratedModel.weights(GeneratedModel.tiny(), 1);

    @Override
    protected Backend backend()
    {
        final BackendProvider provider = new BigramBackendProvider();
        return provider.make(WEIGHTS, provider.defaults(), System::nanoTime);
    }

    @Override
    protected ModelShape shape()
    {
        return WEIGHTS.plan().shape();
    }

    @Override
    protected int vocabularySize()
    {
        return WEIGHTS.plan().vocabulary();
    }
}
