// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.util.List;

/**
 * The first state digests at or behind a difference, which name the parts of the scheduler's state that it reached.
 *
 * @param record    of the group with the digests.
 * @param different components whose digests differ.
 * @param equal     components whose digests are equal.
 */
public record DigestComparison(long record, List<String> different, List<String> equal)
{
}
