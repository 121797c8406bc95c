// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.InvariantViolation;

/** Whether a rank takes part in steps, and whether it is expected to. */
enum RankStage
{
    ACTIVE,
    /** Its backend does not answer; it takes part again after a reset. */
    LOST,
    /** Lost, and nobody is expected to reset it; a reset brings it back all the same. */
    GIVEN_UP;

    /** A reset leads to ACTIVE from every stage. */
    private boolean leadsTo(final RankStage next)
    {
        return next == ACTIVE || ordinal() + 1 == next.ordinal();
    }

    /** @throws InvariantViolation if the rank cannot be in the next stage after this one. */
    RankStage moveTo(final RankStage next, final int rank)
    {
        if (!leadsTo(next))
        {
            throw new InvariantViolation("rank " + rank + " is " + this + " and cannot become " + next);
        }
        return next;
    }
}
