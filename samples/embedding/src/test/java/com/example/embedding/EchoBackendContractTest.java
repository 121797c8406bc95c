// SPDX-License-Identifier: Apache-2.0
package com.example.embedding;

import io.signalbox.backend.Backend;
import io.signalbox.testkit.BackendContractTest;

/** The backend keeps the contract of all backends. */
class EchoBackendContractTest extends BackendContractTest
{
    @Override
    protected Backend backend()
    {
        return new EchoBackend();
    }
}
