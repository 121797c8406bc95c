// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.backend.Backend;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.model.forward.Precision;
import io.signalbox.testkit.BackendContractTest;

/** The CPU backend keeps the contract of backends, with a real model and two threads per rank. */
class CpuBackendContractTest extends BackendContractTest
{
    private static final ForwardModel MODEL = TinyModels.generated();

    @Override
    protected Backend backend()
    {
        return new CpuBackend(MODEL, new CpuBackendConfig().threads(2).weightVersion("first")
            .drafts(new KnownAnswers(MODEL, Precision.of(MODEL.plan().type()))));
    }

    @Override
    protected String newWeights(final Backend backend, final int generation)
    {
        return ((CpuBackend)backend).prepareWeights("generation-" + generation, TinyModels.generation(generation));
    }

    @Override
    protected ModelShape shape()
    {
        return MODEL.plan().shape();
    }

    @Override
    protected int vocabularySize()
    {
        return MODEL.plan().vocabulary();
    }
}
