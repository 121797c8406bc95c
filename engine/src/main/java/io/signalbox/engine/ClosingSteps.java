// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

/** Runs each step of closing, also if an earlier one threw, and throws the first failure at the end. */
final class ClosingSteps
{
    private Throwable first;

    ClosingSteps run(final Runnable step)
    {
        try
        {
            step.run();
        }
        catch (final RuntimeException | Error e)
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

    void rethrow()
    {
        if (first instanceof Error error)
        {
            throw error;
        }
        if (first != null)
        {
            throw (RuntimeException)first;
        }
    }
}
