// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/**
 * The fields that each plan reads or writes of each running request, and no commit of a steady entry.
 *
 * <p>This class, {@link FlightLog}, {@link RequestProgress} and {@link Residency} are superclasses of {@link Request}, and
 * not its parts, because their fields are then adjacent and in this order: those of plans, those of both, those of commits.
 * A step of a thousand requests misses the first-level cache for each line of each object of each request, once in its plan
 * and once in its commit.
 */
abstract class RequestOutlook
{
    static final long NO_STEP = Long.MIN_VALUE / 2;
    static final long NONE_LOOSE = Long.MIN_VALUE;

    long id;
    /** Step and entry that sample the last token that is known or will be. */
    long sampledInStep = NO_STEP;
    int sampledInEntry;
    /** The newest step with an entry whose start or advance the host does not know; later ones are behind it. */
    long newestLoose = NONE_LOOSE;
    /** Below this position {@link SteadyDecode} plans entries of the request; 0: none. */
    int steadyPlanEnd;
    /** The last block of the table and its issue: mostly, a step computes tokens of this block alone. */
    int lastBlock;
    int lastIssue;
}
