// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.DpRouters;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;

/** Every router that comes with Signalbox keeps the contract that routers of others are held to. */
@ParameterizedClass
@MethodSource("installed")
class InstalledRoutersContractTest extends DpRouterContractTest
{
    private final DpRouterProvider provider;

    InstalledRoutersContractTest(final DpRouterProvider provider)
    {
        this.provider = provider;
    }

    static List<DpRouterProvider> installed()
    {
        return DpRouters.installed().all();
    }

    @Override
    protected DpRouterProvider provider()
    {
        return provider;
    }
}
