// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** Spoilt configurations, headers, weights, indexes and prompts of a checkpoint. */
final class ModelFileCases implements CaseSource
{
    private static final List<String> WORDS = List.of("run", "--model={dir}/model", "--prompts={dir}/model/prompts.jsonl",
        "--out={dir}/answers.jsonl", "--no-journal", "--max-new-tokens=2", "--kv-blocks=40",
        "--backend-options=threads=1");

    private static final FileCase.Reading ANY = (file, outcome) -> List.of();

    private final Path single;
    private final Path sharded;

    /** @param models directory with a checkpoint in one file and one in two shards. */
    ModelFileCases(final Path models)
    {
        single = models.resolve("single");
        sharded = models.resolve("sharded");
    }

    @Override
    public ModelFileCase next(final RandomGenerator random) throws IOException
    {
        final Path model = random.nextInt(3) == 0 ? sharded : single;
        final byte[] config = Files.readAllBytes(model.resolve("config.json"));
        switch (random.nextInt(model.equals(sharded) ? 6 : 4))
        {
            case 0:
                return spoilt(model, "config.json", config, random);
            case 1:
                return spoilt(model, "prompts.jsonl", Fixtures.PROMPTS.getBytes(StandardCharsets.UTF_8), random);
            case 2:
                return header(model, random);
            case 3:
                final String weights = weights(model, random);
                return new ModelFileCase(new FileCase(WORDS, weights, Files.readAllBytes(model.resolve(weights)), config,
                    List.of(), content -> content, seeds(1 + random.nextInt(2), random), ANY), model);
            default:
                return spoilt(model, ModelFiles.INDEX, Files.readAllBytes(model.resolve(ModelFiles.INDEX)), random);
        }
    }

    private static String weights(final Path model, final RandomGenerator random)
    {
        return Files.exists(model.resolve(ModelFiles.SINGLE)) ? ModelFiles.SINGLE :
            "model-0000" + (1 + random.nextInt(2)) + "-of-00002.safetensors";
    }

    /** Mostly changes of tokens: a change of bytes seldom leaves JSON. */
    private static ModelFileCase spoilt(
        final Path model, final String name, final byte[] base, final RandomGenerator random)
    {
        final int changes = 1 + random.nextInt(3);
        final int ofBytes = random.nextInt(4) == 0 ? random.nextInt(changes + 1) : 0;
        return new ModelFileCase(new FileCase(WORDS, name, base, Fixtures.PROMPTS.getBytes(StandardCharsets.UTF_8),
            seeds(changes - ofBytes, random), content -> content, seeds(ofBytes, random), ANY), model);
    }

    /** A header whose length is that of its text. */
    private static ModelFileCase header(final Path model, final RandomGenerator random) throws IOException
    {
        final String name = weights(model, random);
        final byte[] file = Files.readAllBytes(model.resolve(name));
        final byte[] base = ModelFiles.header(file).getBytes(StandardCharsets.UTF_8);
        final byte[] data = ModelFiles.data(file);
        final boolean ofBytes = random.nextInt(3) == 0;
        final long seed = random.nextLong();
        return new ModelFileCase(new FileCase(WORDS, name, base, base, seeds(ofBytes ? 0 : 1 + random.nextInt(3), random),
            content -> ModelFiles.file(
                ofBytes ? ByteMutator.mutate(content, base, new SplittableRandom(seed)) : content, data),
            List.of(), ANY), model);
    }

    private static List<Long> seeds(final int count, final RandomGenerator random)
    {
        final List<Long> seeds = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            seeds.add(random.nextLong());
        }
        return seeds;
    }
}
