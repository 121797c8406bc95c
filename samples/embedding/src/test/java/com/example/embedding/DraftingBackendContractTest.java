// SPDX-License-Identifier: Apache-2.0
package com.example.embedding;

import io.signalbox.backend.Backend;
import io.signalbox.testkit.BackendContractTest;

/** The backend keeps the contract at its depth and with its draft tokens. */
class DraftingBackendContractTest extends BackendContractTest
{
    @Override
    protected Backend backend()
    {
        return new DraftingBackend();
    }

    @Override
    protected int vocabularySize()
    {
        return DraftingBackend.VOCABULARY;
    }
}
