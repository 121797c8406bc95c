// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.util.List;

/**
 * Result of a verification.
 *
 * @param records    records read and found whole, the run description included.
 * @param groups     groups re-run; all but the last of them equal if there is a difference.
 * @param ending     how the journal ends; OPEN if the verification stopped early.
 * @param digest     the chained hash over the records read, as 16 hexadecimal digits.
 * @param voided     inputs that an operator declared void; their groups were not re-run.
 * @param difference the first group that differs; {@code null} if every group is equal.
 * @param digests    state digests at or behind the difference; {@code null} if there is no difference, or none was found.
 */
public record Verification(
    long records, long groups, Ending ending, String digest, List<VoidedInput> voided, Difference difference,
    DigestComparison digests)
{
    /** Whether every group in the journal is what the scheduler decides from the same inputs. */
    public boolean matches()
    {
        return difference == null;
    }
}
