// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.event.RecordWriter;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.RunDescriptionDecoder;
import org.agrona.DirectBuffer;

import java.util.Map;
import java.util.TreeMap;

/** The payload of the first record: everything the run depends on, by name. */
public final class RunDescription
{
    private RunDescription()
    {
    }

    /** Encodes the settings in the order of their names. */
    public static RecordWriter encode(final Map<String, String> settings)
    {
        final RecordWriter record = new RecordWriter();
        record.runDescription(new TreeMap<>(settings));
        return record;
    }

    /** @throws IndexOutOfBoundsException if the buffer has no whole description. */
    public static Map<String, String> decode(final DirectBuffer buffer, final int offset)
    {
        final int groups = offset + MessageHeaderDecoder.ENCODED_LENGTH + RunDescriptionDecoder.BLOCK_LENGTH;
        if (buffer.capacity() - groups < RunDescriptionDecoder.SettingsDecoder.HEADER_SIZE)
        {
            throw new IndexOutOfBoundsException("its fields leave the record");
        }
        final RunDescriptionDecoder decoder =
            new RunDescriptionDecoder().wrapAndApplyHeader(buffer, offset, new MessageHeaderDecoder());
        final Map<String, String> settings = new TreeMap<>();
        for (final RunDescriptionDecoder.SettingsDecoder entry : decoder.settings())
        {
            requireInside(0, decoder, buffer);
            requireInside(entry.keyLength(), decoder, buffer);
            final String key = entry.key();
            requireInside(0, decoder, buffer);
            requireInside(entry.valueLength(), decoder, buffer);
            settings.put(key, entry.value());
        }
        return settings;
    }

    /** A text's length is used, and memory allocated for it, only if the buffer is that long. */
    private static void requireInside(
        final int length, final RunDescriptionDecoder decoder, final DirectBuffer buffer)
    {
        if (length < 0 || length > buffer.capacity() - decoder.limit() - Integer.BYTES)
        {
            throw new IndexOutOfBoundsException("a text of " + length + " bytes leaves the record");
        }
    }
}
