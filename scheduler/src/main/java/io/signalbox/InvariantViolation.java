// SPDX-License-Identifier: Apache-2.0
package io.signalbox;

/**
 * An internal invariant does not hold. The engine stops, because a further step could write a wrong decision into the
 * journal. Invariants are always checked, also in production.
 */
public final class InvariantViolation extends AssertionError
{
    private static final long serialVersionUID = 1L;

    public InvariantViolation(final String message)
    {
        super(message);
    }
}
