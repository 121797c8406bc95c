// SPDX-License-Identifier: Apache-2.0
package com.example.experiment;

import io.signalbox.router.DpRouterProvider;
import io.signalbox.testkit.DpRouterContractTest;

/** The router keeps the contract of all routers. */
class TwoChoicesContractTest extends DpRouterContractTest
{
    @Override
    protected DpRouterProvider provider()
    {
        return new TwoChoicesDpRouter.Provider();
    }
}
