// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.journal.Difference;
import io.signalbox.journal.DigestComparison;
import io.signalbox.journal.Ending;
import io.signalbox.journal.JournalWriter;
import io.signalbox.journal.Verification;

/**
 * The result of verifying a run's journal.
 *
 * @param confirmed  whether every decision is confirmed; {@code null} if it was not asked for.
 * @param difference the first decision that differs; {@code null} if there is none.
 * @param digests    state digests at or behind the difference; {@code null} if none are known.
 * @param problem    why the journal is not confirmed, one clause; {@code null} if it is or was not asked for.
 * @param unread     why the journal could not be read to its end; {@code null} if it could.
 */
public record Verdict(
    Boolean confirmed, Difference difference, DigestComparison digests, String problem, Throwable unread)
{
    public static final Verdict NOT_ASKED = new Verdict(null, null, null, null, null);

    /** Confirms only if the whole journal was read and every decision in it is equal. */
    public static Verdict of(final JournalWriter writer, final Verification found)
    {
        if (!found.matches())
        {
            return new Verdict(false, found.difference(), found.digests(), "a decision comes out otherwise", null);
        }
        final boolean whole =
            found.ending() == Ending.CLOSED && found.records() == writer.records() && found.digest().equals(writer.digest());
        return whole ? new Verdict(true, null, null, null, null) :
            new Verdict(false, null, null, "what was read back is not what was written", null);
    }

    /** The journal could not be read to its end. */
    public static Verdict unread(final String sentence, final Throwable cause)
    {
        return new Verdict(false, null, null, sentence, cause);
    }
}
