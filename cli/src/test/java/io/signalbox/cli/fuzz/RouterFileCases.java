// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Spoilt router configurations and router snapshots. */
final class RouterFileCases implements CaseSource
{
    private static final List<String> SMALL = List.of("--conversations=2", "--limit=3", "--system-prompt=16",
        "--user-tokens=fixed:20", "--output-tokens=fixed:4", "--ranks=2", "--kv-blocks=600", "--no-journal");

    private final byte[] snapshot;

    /** @param template directory with a router's snapshot. */
    RouterFileCases(final Path template) throws IOException
    {
        snapshot = Files.readAllBytes(template.resolve("router.snapshot"));
    }

    @Override
    public FileCase next(final RandomGenerator random)
    {
        final boolean yaml = random.nextInt(3) > 0;
        final List<Long> tokenSeeds = new ArrayList<>();
        final List<Long> byteSeeds = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--)
        {
            (yaml && random.nextInt(4) > 0 ? tokenSeeds : byteSeeds).add(random.nextLong());
        }
        final List<String> words = new ArrayList<>(List.of("simulate"));
        words.addAll(yaml ? List.of("--router-config={file}") :
            List.of("--router-snapshot={file}", "--router=" + (random.nextInt(6) == 0 ? "default" : "conversation")));
        words.addAll(SMALL);
        final byte[] text = Fixtures.ROUTER.getBytes(StandardCharsets.UTF_8);
        return new FileCase(words, yaml ? "router.yaml" : "router.snapshot", yaml ? text : snapshot,
            random.nextBoolean() ? text : snapshot, tokenSeeds, content -> content, byteSeeds,
            (file, outcome) -> List.of());
    }
}
