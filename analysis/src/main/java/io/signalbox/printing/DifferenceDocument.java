// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.journal.Difference;
import io.signalbox.journal.DigestComparison;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The first decision that differs from the journal.
 *
 * @param record          record of the first group that differs
 * @param message         number of the first message in the group that differs; 0 is the input
 * @param requestId       request of that message; {@code null} if it has none
 * @param blockId         KV block of that message; {@code null} if it has none
 * @param router          label and version of the router, if the message is its placement or the digest of its state alone;
 *                        else {@code null}
 * @param fields          fields of that message: each field that differs, and all fields outside of repeating groups
 * @param omittedFields   fields that differ and are not listed, because there are too many
 * @param digests         the first state digests at or after the difference; {@code null} if none were found
 * @param recorded        the message in the journal
 * @param recomputed      the message of the re-run
 * @param recordedGroup   the whole group in the journal, a message per line
 * @param recomputedGroup the whole group of the re-run
 * @param groupBefore     the group before, which is equal
 */
record DifferenceDocument(
    long record,
    int message,
    Long requestId,
    Long blockId,
    String router,
    Map<String, Values> fields,
    long omittedFields,
    DigestComparison digests,
    String recorded,
    String recomputed,
    String recordedGroup,
    String recomputedGroup,
    String groupBefore)
{
    /**
     * A field of a message.
     *
     * @param recorded value in the journal; {@code null} if the message has no such field
     * @param replayed value in the re-run; {@code null} if the message has no such field
     */
    public record Values(String recorded, String replayed)
    {
    }

    /**
     * @param difference {@code null} if every decision is confirmed; then there is no document.
     * @param digests    {@code null} if none are known.
     */
    static DifferenceDocument of(final Difference difference, final DigestComparison digests)
    {
        if (difference == null)
        {
            return null;
        }
        final Difference.Fields fields = difference.fields();
        final Map<String, Values> values = new LinkedHashMap<>();
        fields.values().forEach((name, both) -> values.put(name, new Values(both.left(), both.right())));
        return new DifferenceDocument(difference.sequence(), difference.message(), idOrNull(difference.requestId()),
            idOrNull(difference.blockId()), difference.router(), values, fields.omitted(), digests, difference.recorded(),
            difference.recomputed(), difference.recordedGroup(), difference.recomputedGroup(), difference.groupBefore());
    }

    /** {@code null} for a negative number, which stands for none. */
    static Long idOrNull(final long id)
    {
        return id < 0 ? null : Long.valueOf(id);
    }
}
