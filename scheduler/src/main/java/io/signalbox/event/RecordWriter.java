// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.CaptureRowsEncoder;
import io.signalbox.event.codec.Closing;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.RunDescriptionEncoder;
import io.signalbox.event.codec.SealEncoder;
import io.signalbox.event.codec.VoidEncoder;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.sbe.MessageEncoderFlyweight;

import java.util.Map;
import java.util.SortedMap;

/**
 * Encodes one message of the records that a journal adds to the groups. Afterwards the message is in {@link #buffer()},
 * from 0 to {@link #length()}.
 */
public final class RecordWriter
{
    /** Length of a Seal. */
    public static final int SEAL_BYTES = MessageHeaderEncoder.ENCODED_LENGTH + SealEncoder.BLOCK_LENGTH;
    /** Bytes of a CaptureRows ahead of its rows. */
    public static final int BEFORE_ROWS_BYTES = MessageHeaderEncoder.ENCODED_LENGTH + CaptureRowsEncoder.BLOCK_LENGTH +
        CaptureRowsEncoder.rowsHeaderLength();

    private final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final RunDescriptionEncoder runDescription = new RunDescriptionEncoder();
    private final CaptureRowsEncoder captureRows = new CaptureRowsEncoder();
    private final SealEncoder seal = new SealEncoder();
    private final VoidEncoder voided = new VoidEncoder();
    private MessageEncoderFlyweight current = seal;

    public ExpandableArrayBuffer buffer()
    {
        return buffer;
    }

    /** Length of the message with its SBE header. */
    public int length()
    {
        return MessageHeaderEncoder.ENCODED_LENGTH + current.encodedLength();
    }

    /** @param settings everything that a run depends on, by name. */
    public void runDescription(final SortedMap<String, String> settings)
    {
        current = runDescription;
        runDescription.wrapAndApplyHeader(buffer, 0, header);
        final RunDescriptionEncoder.SettingsEncoder entries = runDescription.settingsCount(settings.size());
        for (final Map.Entry<String, String> setting : settings.entrySet())
        {
            entries.next().key(setting.getKey()).value(setting.getValue());
        }
    }

    /**
     * Rows of a step, without a break.
     *
     * @param firstRow the first of them, of the rows of the step.
     * @param length   bytes of the rows.
     */
    public void captureRows(
        final long step,
        final int epoch,
        final int rank,
        final int firstRow,
        final int rowCount,
        final DirectBuffer rows,
        final int offset,
        final int length)
    {
        current = captureRows;
        captureRows.wrapAndApplyHeader(buffer, 0, header)
            .step(step)
            .epoch(epoch)
            .rank(rank)
            .firstRow(firstRow)
            .rowCount(rowCount)
            .putRows(rows, offset, length);
    }

    /**
     * The end or the beginning of a segment.
     *
     * @param records of one segment.
     * @param groups  of the journal so far.
     * @param chain   the last link.
     */
    public void seal(final long records, final long groups, final long chain, final Closing closing)
    {
        current = seal;
        seal.wrapAndApplyHeader(buffer, 0, header).records(records).groups(groups).chain(chain).closing(closing);
    }

    /**
     * Declares that the input of a record is void.
     *
     * @param chain link of the record.
     */
    public void voided(final long record, final long chain, final String reason)
    {
        current = voided;
        voided.wrapAndApplyHeader(buffer, 0, header).record(record).chain(chain).reason(reason);
    }
}
