// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import java.nio.file.Path;

/**
 * Figures of the journal of a run.
 *
 * @param verdict result of its verification.
 */
public record JournalFacts(Path path, long records, long groups, long bytes, String digest, Verdict verdict)
{
}
