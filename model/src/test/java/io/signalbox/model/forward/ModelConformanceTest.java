// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelException;
import io.signalbox.model.UnpackedWeights;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Compares the forward pass with values that transformers computed, for every fixture of a directory, and prints a line for
 * each. {@code -Dsignalbox.models=DIR} names the directory, relative to the root of the checkout; without it, those beside
 * the checkout, else the committed ones.
 */
class ModelConformanceTest
{
    private static final String PROPERTY = "signalbox.models";
    /** Other spellings of config.json, if they are there. */
    private static final List<String> SAME_CONFIGURATIONS =
        List.of("config.hub-style.json", "config.save-pretrained.json");
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root"));
    private static final Path SHARED = ROOT.resolve("../shared/models").normalize();

    @TempDir
    private static Path unpacked;

    @TestFactory
    Stream<DynamicTest> shouldComputeWhatTransformersComputes() throws IOException
    {
        return fixtures().stream().map(fixture ->
            DynamicTest.dynamicTest(fixture.getFileName().toString(), () -> check(fixture)));
    }

    /** A model that computes something else fails. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "OLMOE|rope_theta\": 5000.0|rope_theta\": 10000.0", "OLMOE|clip_qkv\": 1.25|clip_qkv\": null",
        "OLMOE|rms_norm_eps\": 0.001|rms_norm_eps\": 1e-06", "OLMOE|norm_topk_prob\": false|norm_topk_prob\": true",
        "QWEN3_MOE|norm_topk_prob\": true|norm_topk_prob\": false",
        "DEEPSEEK_V3|factor\": 40|factor\": 1", "DEEPSEEK_V3|mscale_all_dim\": 1.0|mscale_all_dim\": 0",
        "DEEPSEEK_V3|mscale\": 1.0|mscale\": 0.5", "DEEPSEEK_V3|beta_fast\": 32|beta_fast\": 32, \"truncate\": false",
        "DEEPSEEK_V3|beta_slow\": 1|beta_slow\": 8", "DEEPSEEK_V3|embeddings\": 4096|embeddings\": 163840",
        "DEEPSEEK_V3|mscale\": 1.0|mscale\": 1.0, \"attention_factor\": 1.25",
        "GPT_OSS|factor\": 32.0|factor\": 1.0", "GPT_OSS|truncate\": false|truncate\": true",
        "GPT_OSS|truncate\": false|truncate\": false, \"attention_factor\": 1.0",
        "GPT_OSS|sliding_window\": 8|sliding_window\": 9", "GPT_OSS|sliding_window\": 8|sliding_window\": 131072",
        "GPT_OSS|\"full_attention|\"sliding_attention", "GPT_OSS|swiglu_limit\": 7.0|swiglu_limit\": 7000.0"})
    void shouldFailWithAnotherModel(final CommittedFixtures fixture, final String from, final String to) throws IOException
    {
        final Path directory = fixture.unpackTo(Files.createTempDirectory(unpacked, "other"));
        final Path config = directory.resolve("config.json");
        final String text = Files.readString(config);
        assertTrue(text.contains(from), text);
        Files.writeString(config, text.replace(from, to));
        for (final String same : SAME_CONFIGURATIONS)
        {
            Files.writeString(directory.resolve(same), Files.readString(config));
        }

        assertTrue(!checks(directory).passed());
    }

    private static List<Path> fixtures() throws IOException
    {
        final String named = System.getProperty(PROPERTY);
        if (named != null && !named.isBlank())
        {
            final List<Path> fixtures = fixturesIn(ROOT.resolve(named));
            assertTrue(!fixtures.isEmpty(), named + " has no directory with a reference.json");
            return fixtures;
        }
        if (!Files.isDirectory(SHARED))
        {
            return CommittedFixtures.unpack(unpacked);
        }
        return Stream.of(SHARED, SHARED.resolve("hub")).filter(Files::isDirectory)
            .flatMap(directory -> fixturesIn(directory).stream()).toList();
    }

    private static List<Path> fixturesIn(final Path directory)
    {
        if (isFixture(directory))
        {
            return List.of(directory);
        }
        assertTrue(Files.isDirectory(directory), "-D" + PROPERTY + "=" + directory + " is not a directory");
        try (Stream<Path> entries = Files.list(directory))
        {
            return entries.filter(ModelConformanceTest::isFixture).sorted().toList();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isFixture(final Path directory)
    {
        return Files.exists(directory.resolve("reference.json"));
    }

    /** A fixture that cannot be read has a line, too. */
    private static void check(final Path directory)
    {
        ConformanceChecks checks;
        try
        {
            checks = checks(directory);
        }
        catch (final IOException | RuntimeException e)
        {
            // Only a family that is refused by its name may be left out.
            if (e instanceof ModelException && e.getMessage().contains("has the model type '"))
            {
                System.out.println(directory.getFileName() + ": refused: " + e.getMessage());
                return;
            }
            checks = new ConformanceChecks(directory.getFileName().toString());
            checks.check(false, e::toString);
        }
        System.out.println(checks.line());
        assertTrue(checks.passed(), checks::failures);
    }

    /** Every packed tensor has the bits that the reference computed with. */
    private static void compareUnpacked(
        final Path directory, final ConformanceFixture fixture, final ConformanceChecks checks) throws IOException
    {
        final Map<String, String> digests = UnpackedWeights.digests(directory);
        fixture.unpacked().forEach((name, digest) -> checks.check(digest.equals(digests.get(name)),
            () -> name + " is unpacked to other weights"));
    }

    /** Compares a fixture with what this forward pass computes. */
    static ConformanceChecks checks(final Path directory) throws IOException
    {
        final ConformanceChecks checks = new ConformanceChecks(directory.getFileName().toString());
        final ConformanceFixture fixture = new ConformanceFixture(directory);
        for (final String same : SAME_CONFIGURATIONS)
        {
            final Path other = directory.resolve(same);
            checks.check(Files.notExists(other) || DecoderPlan.of(other).equals(fixture.plan()),
                () -> other + " describes another model");
        }
        compareUnpacked(directory, fixture, checks);
        try (WorkTeam team = new WorkTeam(2, "conformance"))
        {
            new Float32Conformance(fixture, checks, team).run();
            if (fixture.hasBlock("bf16"))
            {
                new Bf16Conformance(fixture, checks, team).run(CommittedFixtures.has(directory));
            }
        }
        return checks;
    }
}
