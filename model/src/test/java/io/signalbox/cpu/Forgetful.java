// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.backend.Backend;
import io.signalbox.backend.ForwardingBackend;

/** Does not ask its backend whether it has the weights that are announced. */
final class Forgetful extends ForwardingBackend
{
    Forgetful(final Backend backend)
    {
        super(backend);
    }

    @Override
    public void expectWeights(final String version)
    {
        // The defect of this backend.
    }
}
