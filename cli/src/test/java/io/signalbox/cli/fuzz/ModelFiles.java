// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import io.signalbox.cli.commands.CheckpointFixture;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A small checkpoint in one file, and the same one in two shards with their index. */
final class ModelFiles
{
    static final String SINGLE = "model.safetensors";
    static final String INDEX = "model.safetensors.index.json";

    private static final Pattern TENSOR = Pattern.compile(
        "\"([^\"]+)\":\\{\"dtype\":\"(\\w+)\",\"shape\":(\\[[0-9,]*]),\"data_offsets\":\\[(\\d+),(\\d+)]}");

    /** A tensor as the header of its file describes it. */
    private record Tensor(String name, String type, String shape, int begin, int end)
    {
        private String text(final int dataBegin)
        {
            return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":" + shape + ",\"data_offsets\":[" +
                (begin - dataBegin) + "," + (end - dataBegin) + "]}";
        }
    }

    private ModelFiles()
    {
    }

    /** Writes them to the directories {@code single} and {@code sharded}. */
    static Path write(final Path directory) throws IOException
    {
        Files.createDirectories(directory);
        final Path single = CheckpointFixture.unpack(directory.resolve("single"));
        final Path sharded = Files.createDirectories(directory.resolve("sharded"));
        Files.copy(single.resolve("config.json"), sharded.resolve("config.json"));
        final byte[] file = Files.readAllBytes(single.resolve(SINGLE));
        final List<Tensor> tensors = new ArrayList<>();
        final Matcher match = TENSOR.matcher(header(file));
        while (match.find())
        {
            tensors.add(new Tensor(match.group(1), match.group(2), match.group(3), Integer.parseInt(match.group(4)),
                Integer.parseInt(match.group(5))));
        }
        tensors.sort(Comparator.comparingInt(Tensor::begin));
        final int half = tensors.size() / 2;
        final List<String> index = new ArrayList<>();
        writeShard(sharded.resolve("model-00001-of-00002.safetensors"), tensors.subList(0, half), data(file), index);
        writeShard(sharded.resolve("model-00002-of-00002.safetensors"), tensors.subList(half, tensors.size()), data(file),
            index);
        Files.writeString(sharded.resolve(INDEX), "{\"metadata\":{\"total_size\":" + data(file).length +
            "},\"weight_map\":{" + String.join(",", index) + "}}");
        return directory;
    }

    private static void writeShard(final Path path, final List<Tensor> tensors, final byte[] data, final List<String> index)
        throws IOException
    {
        final int begin = tensors.get(0).begin();
        final int end = tensors.get(tensors.size() - 1).end();
        final String header = "{" + String.join(",", tensors.stream().map(tensor -> tensor.text(begin)).toList()) + "}";
        Files.write(path, file(header, Arrays.copyOfRange(data, begin, end)));
        tensors.forEach(tensor -> index.add("\"" + tensor.name() + "\":\"" + path.getFileName() + "\""));
    }

    /** The header's text of a safetensors file. */
    static String header(final byte[] file)
    {
        return new String(file, Long.BYTES, headerBytes(file), StandardCharsets.UTF_8);
    }

    /** The bytes behind the header. */
    static byte[] data(final byte[] file)
    {
        return Arrays.copyOfRange(file, Long.BYTES + headerBytes(file), file.length);
    }

    private static int headerBytes(final byte[] file)
    {
        return (int)ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getLong(0);
    }

    /** A safetensors file. */
    static byte[] file(final String header, final byte[] data)
    {
        return file(header.getBytes(StandardCharsets.UTF_8), data);
    }

    static byte[] file(final byte[] header, final byte[] data)
    {
        return ByteBuffer.allocate(Long.BYTES + header.length + data.length).order(ByteOrder.LITTLE_ENDIAN)
            .putLong(header.length).put(header).put(data).array();
    }
}
