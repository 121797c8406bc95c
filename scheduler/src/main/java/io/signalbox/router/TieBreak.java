// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/** How the chosen rank was told from the others that would have done as well. */
public enum TieBreak
{
    /** The best candidate was alone. */
    NONE,
    FEWEST_REQUESTS_THEN_LOWEST_RANK,
    LOWEST_RANK,
    /** The request named its rank; no scoring took place. */
    HINT,
    /** Equal scores; the load was lower. */
    LEAST_LOAD,
    /** Equal scores and loads; there were fewer requests. */
    FEWEST_REQUESTS,
    /** Equal scores and loads; the first in an order that the request id seeds. */
    SEEDED_ORDER,
    /** The next rank that has had no request yet; no scoring took place. */
    WARM_UP,
    /** The rank of the request's conversation; no scoring took place. */
    BOUND,
    /** The next rank in turn. */
    ROUND_ROBIN;

    /** Whether the rank was given and not searched for. */
    public boolean isExplicit()
    {
        return this == HINT || this == WARM_UP;
    }
}
