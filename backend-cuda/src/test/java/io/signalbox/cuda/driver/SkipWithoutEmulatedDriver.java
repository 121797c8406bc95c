// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import net.jqwik.api.lifecycle.LifecycleContext;
import net.jqwik.api.lifecycle.SkipExecutionHook;

/** For classes with properties: jqwik takes an assumption that never holds for a failure, not for a reason to skip. */
public final class SkipWithoutEmulatedDriver implements SkipExecutionHook
{
    @Override
    public SkipResult shouldBeSkipped(final LifecycleContext context)
    {
        final String reason = EmulatedDriverBuild.whyNot();
        return reason.isEmpty() ? SkipResult.doNotSkip() : SkipResult.skip(reason);
    }
}
