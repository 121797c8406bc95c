// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.printing.Json;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Writes JSON documents and events of streams. Every control character is escaped. */
final class JsonBytes
{
    private static final byte[] DATA = "data: ".getBytes(StandardCharsets.US_ASCII);

    private JsonBytes()
    {
    }

    static byte[] of(final Json.Body body)
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        write(body, bytes);
        return bytes.toByteArray();
    }

    /** An event of a stream. */
    static byte[] event(final Json.Body body)
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        bytes.writeBytes(DATA);
        write(body, bytes);
        bytes.write('\n');
        bytes.write('\n');
        return bytes.toByteArray();
    }

    private static void write(final Json.Body body, final ByteArrayOutputStream bytes)
    {
        try (JsonGenerator json = Json.FACTORY.createGenerator(bytes))
        {
            body.write(json);
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
