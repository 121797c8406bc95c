// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.printing;

import java.nio.file.Path;

/**
 * What a run left in its journal.
 *
 * @param verdict whether it was read back and confirmed.
 */
public record JournalFacts(Path path, long records, long groups, long bytes, String digest, Verdict verdict)
{
}
