// SPDX-License-Identifier: Apache-2.0
package com.example.router;

import io.signalbox.router.DpRouterProvider;
import io.signalbox.testkit.DpRouterContractTest;

/** The router keeps the contract of all routers. */
class QueueAwareDpRouterContractTest extends DpRouterContractTest
{
    @Override
    protected DpRouterProvider provider()
    {
        return new QueueAwareDpRouter.Provider();
    }
}
