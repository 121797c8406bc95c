// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/** Small checkpoints: of OLMoE, as transformers wrote it, and published forms. */
public final class CheckpointFixture
{
    private static final Path FIXTURES = Path.of(System.getProperty("signalbox.root"))
        .resolve("model/src/test/resources/io/signalbox/model/forward");

    private CheckpointFixture()
    {
    }

    /** Unpacks the checkpoint of OLMoE to a new directory. */
    public static Path unpack(final Path model) throws IOException
    {
        return unpack("olmoe-wide-bf16", model);
    }

    /** Unpacks the named checkpoint to a new directory. */
    static Path unpack(final String name, final Path model) throws IOException
    {
        Files.createDirectory(model);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(FIXTURES.resolve(name), "{config.json,model}*.gz"))
        {
            for (final Path file : files)
            {
                try (InputStream content = new GZIPInputStream(Files.newInputStream(file)))
                {
                    Files.copy(content, model.resolve(file.getFileName().toString().replaceFirst("\\.gz$", "")));
                }
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
