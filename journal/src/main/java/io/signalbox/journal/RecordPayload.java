// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

/** The payload of one record after another, as it was before it was packed: chain and readers see no other. */
final class RecordPayload
{
    private final PackedPayload unpacked = new PackedPayload();
    private byte[] bytes;
    private int start;
    private int length;

    /**
     * Finds the payload of the walker's record; valid until the walker moves.
     *
     * @param records the record's number, for a refusal.
     * @throws JournalException CORRUPT_RECORD if it cannot be unpacked.
     */
    void find(final SegmentWalker walker, final int segment, final long records)
    {
        bytes = walker.bytes();
        start = walker.start() + Envelope.LENGTH;
        length = walker.length() - Envelope.LENGTH;
        if (Envelope.form(bytes, walker.start()) == Envelope.PACKED)
        {
            final String fault = unpacked.unpack(bytes, start, length);
            if (fault != null)
            {
                throw ScanMessages.notUnpacked(fault, SegmentName.of(segment), segment, walker.position(), records);
            }
            bytes = unpacked.bytes();
            start = 0;
            length = unpacked.length();
        }
    }

    byte[] bytes()
    {
        return bytes;
    }

    int start()
    {
        return start;
    }

    int length()
    {
        return length;
    }
}
