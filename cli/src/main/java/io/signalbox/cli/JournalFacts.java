// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import java.nio.file.Path;

/**
 * What a run left in its journal.
 *
 * @param verified whether the journal was read back and every group compared; never true where it was not.
 */
record JournalFacts(Path path, long records, long groups, long bytes, String digest, boolean verified)
{
}
