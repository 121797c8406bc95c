// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Unpacks the packed tensors of a directory, whatever its model is. */
public final class UnpackedWeights
{
    private static final String BLOCKS = "_blocks";

    private final CheckpointTensors tensors;
    private final Map<String, long[]> shapes = new TreeMap<>();

    UnpackedWeights(final Path directory) throws IOException
    {
        final CheckpointFiles files = new CheckpointFiles(directory);
        tensors = new CheckpointTensors(directory, SmallPlans.of(WeightType.BF16, false),
            new ConfigReader(files.config()).quantization(), 0, LoadProgress.NONE);
        final Map<String, String> index = files.index();
        for (final String name : index == null ? List.of("model.safetensors") : new TreeSet<>(index.values()))
        {
            final Path file = files.inside(name);
            try (FileChannel channel = FileChannel.open(file))
            {
                final SafetensorsHeader header = new SafetensorsHeader(file, channel);
                tensors.add(new MappedShard(file, channel.size()), file, header);
                header.tensors().values().stream().filter(tensor -> tensor.type().endsWith("8") ||
                    tensor.type().equals("F8_E4M3")).forEach(tensor -> shapes.put(tensor.name(), tensor.shape()));
            }
        }
    }

    CheckpointTensors tensors()
    {
        return tensors;
    }

    /** By name, the SHA-256 of each packed tensor as float32, little-endian; one of MXFP4 as [experts, inputs, outputs]. */
    public static Map<String, String> digests(final Path directory) throws IOException
    {
        final UnpackedWeights unpacked = new UnpackedWeights(directory);
        final Map<String, String> digests = new TreeMap<>();
        unpacked.shapes.forEach((name, shape) ->
        {
            if (name.endsWith(BLOCKS))
            {
                final String plain = name.substring(0, name.length() - BLOCKS.length());
                digests.put(plain, digest(unpacked.tensors.matrices(
                    plain, (int)shape[0], (int)shape[2] * Mxfp4Weights.BLOCK, (int)shape[1])));
            }
            else if (!name.endsWith("_scales"))
            {
                digests.put(name, digest(List.of(unpacked.tensors.matrix(name, (int)shape[0], (int)shape[1]))));
            }
        });
        return Collections.unmodifiableMap(digests);
    }

    private static String digest(final List<? extends WeightMatrix> matrices)
    {
        try
        {
            final MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (final WeightMatrix matrix : matrices)
            {
                final float[] weights = new float[matrix.count()];
                matrix.copyTo(weights);
                final ByteBuffer bytes = ByteBuffer.allocate(4 * weights.length).order(ByteOrder.LITTLE_ENDIAN);
                bytes.asFloatBuffer().put(weights);
                digest.update(bytes);
            }
            return HexFormat.of().formatHex(digest.digest());
        }
        catch (final NoSuchAlgorithmException e)
        {
            throw new IllegalStateException(e);
        }
    }
}
