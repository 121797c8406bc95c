// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.scheduler.SchedulerConfig;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.providers.ArbitraryProvider;
import net.jqwik.api.providers.TypeUsage;

import java.util.Set;

/** Gives jqwik the arbitraries of {@link HarnessArbitraries} by type; a service entry names this class. */
public final class HarnessProvider implements ArbitraryProvider
{
    @Override
    public boolean canProvideFor(final TypeUsage targetType)
    {
        return targetType.isOfType(SchedulerConfig.class) || targetType.isOfType(HarnessPlay.class);
    }

    @Override
    public Set<Arbitrary<?>> provideFor(final TypeUsage targetType, final SubtypeProvider subtypeProvider)
    {
        return Set.of(targetType.isOfType(HarnessPlay.class) ? HarnessArbitraries.plays() : HarnessArbitraries.pools());
    }
}
