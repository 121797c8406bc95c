// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

/** How far a fault of one rank reaches, by the configured policy. Told and asked by the ranks' threads. */
final class FaultScope
{
    private final FaultPolicy policy;
    private volatile String lossOfAll;

    FaultScope(final FaultPolicy policy)
    {
        this.policy = policy;
    }

    /** @param cause one sentence. */
    void lost(final int rank, final String cause)
    {
        if (policy == FaultPolicy.LOSE_ALL_RANKS && lossOfAll == null)
        {
            lossOfAll = "rank " + rank + " was lost and with it, as configured, all others: " + cause;
        }
    }

    /** Why every rank is given up, or null. */
    String lossOfAll()
    {
        return lossOfAll;
    }
}
