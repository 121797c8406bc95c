// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.Backend;
import io.signalbox.testkit.BackendContractTest;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/** The toy backend keeps the contract of backends: on threads and stepped, up to four steps deep, with draft tokens. */
@ParameterizedClass
@CsvSource({"1, true, true", "4, true, false", "4, false, true"})
class ToyBackendContractTest extends BackendContractTest
{
    private final int depth;
    private final boolean threaded;
    private final boolean resets;

    ToyBackendContractTest(final int depth, final boolean threaded, final boolean resets)
    {
        this.resets = resets;
        this.depth = depth;
        this.threaded = threaded;
    }

    @Override
    protected Backend backend()
    {
        return new ToyBackend(depth, threaded, 0, ToyPlant.NONE).losingRanks(resets ? Integer.MAX_VALUE : 0);
    }

    @Override
    protected int vocabularySize()
    {
        return ToyModel.VOCABULARY;
    }

    @Override
    protected boolean work(final Backend backend)
    {
        return !threaded && ((ToyBackend)backend).turn();
    }
}
