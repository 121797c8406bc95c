// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/** Why a router chose this rank of several that it holds for equal. The journal has the same names. */
public enum TieRule
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
    /** Equal scores and loads; first in an order seeded by the request id. */
    SEEDED_ORDER,
    /** The next rank without a first request; no scoring took place. */
    WARM_UP,
    /** The rank of the conversation; no scoring took place. */
    BOUND,
    /** The next rank in turn. */
    ROUND_ROBIN,
    /** Another rule, which the documents of the router describe. */
    OTHER
}
