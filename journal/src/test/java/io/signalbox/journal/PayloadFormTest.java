// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.Envelope;
import io.signalbox.journal.segment.SegmentWalker;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.zip.CRC32C;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Records with a payload form that this version does not know. */
final class PayloadFormTest
{
    private static final int FORM = 9;

    @Test
    void shouldRefuseAGroupInAnUnknownFormByItsNumber()
    {
        final SimulatedLog log = SimulatedLog.open(3, Runs.options(Durability.PROCESS));
        final MemoryFiles files = log.files().copy();
        setForm(files, 3, 1);

        final JournalException refusal = Scans.refusal(files);

        assertEquals(Kind.UNSUPPORTED_VERSION, refusal.kind());
        assertTrue(refusal.getMessage().contains("payload form 1"), refusal.getMessage());
        assertTrue(refusal.getMessage().contains("records 0 to 2 are good"), refusal.getMessage());
    }

    @Test
    void shouldRefuseASealInAnUnknownForm()
    {
        final MemoryFiles files = SimulatedLog.sealed(2, Runs.options(Durability.PROCESS)).files();
        setForm(files, 3, 1);

        assertEquals(Kind.UNSUPPORTED_VERSION, Scans.refusal(files).kind());
    }

    /** Gives a record, counted in segment 0, another form and the CRC that fits. */
    private static void setForm(final MemoryFiles files, final int record, final int form)
    {
        final byte[] bytes = files.bytes(0);
        final int at = (int)Scans.records(files, 0).get(record).from() + SegmentWalker.HEADER_BYTES;
        bytes[at + FORM] = (byte)form;
        final byte[] changed = Arrays.copyOfRange(bytes, at, at + Envelope.totalLength(bytes, at));
        Envelope.putCrc(changed, changed.length, new CRC32C());
        System.arraycopy(changed, 0, bytes, at, changed.length);
    }
}
