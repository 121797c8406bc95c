// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Spoilt router configurations. */
final class RouterFileCases implements CaseSource
{
    private static final List<String> WORDS = List.of("simulate", "--router-config={file}", "--conversations=2", "--limit=3",
        "--system-prompt=16", "--user-tokens=fixed:20", "--output-tokens=fixed:4", "--ranks=2", "--kv-blocks=600",
        "--no-journal");

    @Override
    public FileCase next(final RandomGenerator random)
    {
        final List<Long> tokenSeeds = new ArrayList<>();
        final List<Long> byteSeeds = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--)
        {
            (random.nextInt(4) > 0 ? tokenSeeds : byteSeeds).add(random.nextLong());
        }
        final byte[] text = Fixtures.ROUTER.getBytes(StandardCharsets.UTF_8);
        return new FileCase(
            WORDS, "router.yaml", text, text, tokenSeeds, content -> content, byteSeeds, (file, outcome) -> List.of());
    }
}
