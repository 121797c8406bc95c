// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.util.List;

/**
 * The first state digests at or behind a difference, which name the parts of the scheduler's state that it reached.
 *
 * @param record    record of the group with the digests
 * @param different components of the state whose digests differ
 * @param equal     components of the state whose digests are equal
 */
public record DigestComparison(long record, List<String> different, List<String> equal)
{
}
