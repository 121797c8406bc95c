// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/** A small checkpoint of OLMoE, as transformers wrote it. */
public final class CheckpointFixture
{
    private static final Path FIXTURE = Path.of(System.getProperty("signalbox.root"))
        .resolve("model/src/test/resources/io/signalbox/model/forward/olmoe-wide-bf16");

    private CheckpointFixture()
    {
    }

    /** Unpacks it to a new directory. */
    public static Path unpack(final Path model) throws IOException
    {
        Files.createDirectory(model);
        for (final String file : List.of("config.json", "model.safetensors"))
        {
            try (InputStream content = new GZIPInputStream(Files.newInputStream(FIXTURE.resolve(file + ".gz"))))
            {
                Files.copy(content, model.resolve(file));
            }
        }
        return model;
    }

    /** Makes the embedding of a token no number; the tensor is found by its place in the header. */
    static void spoilToken(final Path model, final int token) throws IOException
    {
        final Path file = model.resolve("model.safetensors");
        final byte[] bytes = Files.readAllBytes(file);
        final ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        final int data = Long.BYTES + (int)buffer.getLong(0);
        final Matcher tensor = Pattern.compile(
            "\"model.embed_tokens.weight\":\\{[^}]*\"shape\":\\[\\d+, ?(\\d+)][^}]*\"data_offsets\":\\[(\\d+),")
            .matcher(new String(bytes, Long.BYTES, data - Long.BYTES, StandardCharsets.UTF_8));
        if (!tensor.find())
        {
            throw new IllegalStateException(file + " has no embedding");
        }
        final int hidden = Integer.parseInt(tensor.group(1));
        final short noNumber = (short)0x7fc0;
        buffer.putShort(data + Integer.parseInt(tensor.group(2)) + token * hidden * Short.BYTES, noNumber);
        Files.write(file, bytes);
    }
}
