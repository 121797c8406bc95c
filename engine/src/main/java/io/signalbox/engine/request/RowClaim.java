// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.request;

/**
 * Whether the rows of a request were taken or released. Its monitor is held from a look at the rows until they are copied or
 * their release is an input, so that no caller copies what another one releases.
 */
public final class RowClaim
{
    private boolean claimed;

    public synchronized boolean isClaimed()
    {
        return claimed;
    }

    /** Whether the caller is the first: the rows of a request are released once. */
    public synchronized boolean claim()
    {
        final boolean first = !claimed;
        claimed = true;
        return first;
    }

    /** The rows could not be handed over or released; they may be claimed again. */
    public synchronized void giveUp()
    {
        claimed = false;
    }
}
