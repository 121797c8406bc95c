// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.step;

import org.agrona.LangUtil;

/** Runs each step of closing, also if an earlier one threw, and throws the first failure at the end. */
public final class ClosingSteps
{
    private Throwable first;

    public ClosingSteps run(final Runnable step)
    {
        try
        {
            step.run();
        }
        // Also a checked exception that a step does not declare, as one written in Kotlin may throw.
        catch (final Throwable e)
        {
            if (first == null)
            {
                first = e;
            }
            else
            {
                first.addSuppressed(e);
            }
        }
        return this;
    }

    public void rethrow()
    {
        if (first != null)
        {
            LangUtil.rethrowUnchecked(first);
        }
    }
}
