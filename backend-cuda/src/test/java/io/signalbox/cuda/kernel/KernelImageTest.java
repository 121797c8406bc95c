// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class KernelImageTest
{
    private static final Path SOURCES = Path.of("src/main/cuda");
    /** Checked against the image, and no part of it. */
    private static final String WAITS = "waits.budget";
    private static final int HASH_BYTES = 8;
    private static final Pattern LISTED = Pattern.compile("SIGNALBOX_KERNEL\\((\\w+)\\)");
    /** Multiplications and additions that a compiler of PTX may contract, and contracted ones. */
    private static final Pattern FUSIBLE = Pattern.compile("^\\s+(fma\\.|mad\\.f|(add|sub|mul)\\.f32|div\\.(full|approx))",
        Pattern.MULTILINE);

    private final KernelImage image = KernelImage.load();

    private static String hashOfSources() throws IOException, NoSuchAlgorithmException
    {
        final MessageDigest digest = MessageDigest.getInstance("SHA-256");
        try (Stream<Path> files = Files.list(SOURCES))
        {
            for (final Path file : files.filter(file -> !file.endsWith(WAITS)).sorted().toList())
            {
                digest.update(Files.readAllBytes(file));
            }
        }
        return HexFormat.of().formatHex(digest.digest(), 0, HASH_BYTES);
    }

    private static Set<String> listed() throws IOException
    {
        return LISTED.matcher(Files.readString(SOURCES.resolve("kernels.def"))).results()
            .map(result -> result.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void shouldCarryTheHashOfTheSourcesInEveryImage() throws IOException, NoSuchAlgorithmException
    {
        final String hash = hashOfSources();
        for (final KernelImage.Image each : image.images())
        {
            assertEquals(hash, each.sourceHash(), "the kernel image for " + each.architecture() +
                " is of other sources than src/main/cuda; run scripts/build-kernels");
        }
        assertEquals(hash, image.sourceHash());
        assertEquals("signalbox_source_" + hash, image.sourceSymbol());
    }

    @Test
    void shouldHoldCodeForTwoArchitecturesAndPtxForLaterOnes()
    {
        final List<String> kinds = image.images().stream()
            .map(each -> (each.ptx() ? "compute_" : "sm_") + each.architecture()).sorted().toList();
        assertEquals(List.of("compute_80", "sm_80", "sm_90"), kinds);
    }

    @Test
    void shouldHoldTheListedKernelsAndNoOthersInEveryImage() throws IOException
    {
        for (final KernelImage.Image each : image.images())
        {
            final Set<String> kernels = new TreeSet<>(each.symbols());
            assertTrue(kernels.remove(image.sourceSymbol()));
            assertEquals(listed(), kernels, "kernels for " + each.architecture());
        }
    }

    @Test
    void shouldHaveAKernelForEverySizeModeAndType() throws IOException
    {
        final Set<String> named = new TreeSet<>(Set.of(KernelNames.SLOT_OPEN, KernelNames.LOGITS_SEEDED,
            KernelNames.CAPTURE_COPY, KernelNames.PACK_ROWS, KernelNames.PACK_WEIGHTED_ROWS, KernelNames.SAMPLE_SEEDED,
            KernelNames.STREAM_BYTES));
        for (final ExpertRouterMode mode : ExpertRouterMode.values())
        {
            for (final LogitsType type : LogitsType.values())
            {
                for (int experts = ExpertRouterSpec.MIN_EXPERTS; experts <= ExpertRouterSpec.MAX_EXPERTS; experts++)
                {
                    final ExpertRouterSpec spec = ExpertRouterSpec.plain(experts, 1, mode, type);
                    named.add(KernelNames.route(spec));
                    named.add(KernelNames.opaque(spec));
                    final String route = KernelNames.route(spec);
                    final int values = Integer.parseInt(route.substring(route.lastIndexOf('v') + 1));
                    assertTrue(32 * values >= experts && (values == 1 || 16 * values < experts), route + " for " + experts);
                }
            }
        }
        named.addAll(List.of(KernelNames.DECODER_NORM, KernelNames.DECODER_LAST_NORM,
            KernelNames.DECODER_EXPERTS_NORM, KernelNames.DECODER_LAST_EXPERTS_NORM,
            KernelNames.DECODER_ACTIVATE, KernelNames.DECODER_ATTEND_LONE, KernelNames.DECODER_GROUP,
            KernelNames.DECODER_SAMPLE, KernelNames.DECODER_KEEP_WEIGHTS,
            KernelNames.DECODER_BIND, KernelNames.DECODER_ACCEPT));
        for (final String typed : List.of(KernelNames.DECODER_EMBED, KernelNames.DECODER_LINEAR, KernelNames.DECODER_PLACE,
            KernelNames.DECODER_ATTEND, KernelNames.DECODER_EXPERT_UP, KernelNames.DECODER_EXPERT_DOWN,
            KernelNames.DECODER_BIASED_LINEAR, KernelNames.DECODER_CLAMPED_UP, KernelNames.DECODER_CLAMPED_DOWN,
            KernelNames.DECODER_ATTEND_WINDOW,
            KernelNames.DECODER_GENERATE))
        {
            named.addAll(List.of(typed + "bf16", typed + "fp32"));
        }
        for (final String product : List.of(
            KernelNames.DECODER_LINEAR, KernelNames.DECODER_BIASED_LINEAR, KernelNames.DECODER_EXPERT_UP,
            KernelNames.DECODER_EXPERT_DOWN))
        {
            named.add(product + "fp8");
        }
        named.addAll(List.of(KernelNames.DECODER_CLAMPED_UP + "mxfp4", KernelNames.DECODER_CLAMPED_DOWN + "mxfp4"));
        for (final TensorTile tile : TensorTile.values())
        {
            named.addAll(List.of(tile.kernel(KernelNames.TENSOR_LINEAR), tile.kernel(KernelNames.TENSOR_EXPERT_UP),
                tile.kernel(KernelNames.TENSOR_EXPERT_DOWN)));
        }
        assertEquals(listed(), named);
    }

    @Test
    void shouldLeaveNoCompilerTheChoiceToFuseArithmetic()
    {
        final ByteBuffer bytes = image.bytes();
        final byte[] content = new byte[bytes.remaining()];
        bytes.get(content);
        final String text = new String(content, StandardCharsets.ISO_8859_1);
        assertTrue(text.contains("mul.rn.f32"));
        assertFalse(FUSIBLE.matcher(text).find(), "the PTX has arithmetic that may be fused");
        assertTrue(bytes.isDirect());
    }
}
