// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.DocumentSchema;
import io.signalbox.inspect.RequestInspection;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.inspect.RequestInspection.Restart;
import io.signalbox.journal.VoidedInput;

import java.nio.file.Path;
import java.util.List;

/**
 * {@code inspect request JOURNAL ID --json}. Times in seconds are logical, times in milliseconds count from the Submit.
 *
 * @param path       directory of the journal; {@code null} if a server answers from its memory
 * @param requestId  the request
 * @param ranks      ranks of the run
 * @param groups     groups that were read
 * @param journalEnd how the journal ends
 * @param restarts   engines that continued the run
 * @param voided     inputs that an operator declared void; their groups are left out
 * @param lives      a life for each Submit with this id; an id can be submitted again after its request ended
 */
@DocumentSchema("signalbox.inspect/2")
public record RequestDocument(
    Path path,
    long requestId,
    int ranks,
    long groups,
    JournalEnd journalEnd,
    List<Restart> restarts,
    List<VoidedInput> voided,
    List<LifeDocument> lives)
{
    public static RequestDocument of(final Path journal, final RequestInspection inspection)
    {
        return new RequestDocument(journal, inspection.requestId(), inspection.ranks(), inspection.groups(),
            inspection.end(), inspection.restarts(), inspection.voided(), LifeDocument.of(inspection));
    }
}
