// SPDX-License-Identifier: Apache-2.0
package io.signalbox;

/** Separates exceptions that a plug-in is to blame for from those that it is not. */
public final class PluginFault
{
    private PluginFault()
    {
    }

    /**
     * Returns the exception of a call of a plug-in if the plug-in is to blame for it. It is not to blame for a violated
     * invariant of Signalbox, nor for an error of the JVM such as exhausted memory: these are thrown again. A stack overflow
     * is a fault of the plug-in.
     */
    public static Throwable of(final Throwable thrown)
    {
        if (thrown instanceof InvariantViolation violation)
        {
            throw violation;
        }
        if (thrown instanceof VirtualMachineError error && !(thrown instanceof StackOverflowError))
        {
            throw error;
        }
        return thrown;
    }
}
