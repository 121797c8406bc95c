// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

class InspectEventsTest
{
    private static final Pattern MESSAGE = Pattern.compile("<sbe:message name=\"(\\w+)\"");
    /** Records of a journal that are in no group. */
    private static final List<String> OUTSIDE_GROUPS = List.of("RunDescription", "CaptureRows", "Seal", "Void");

    @Test
    void shouldKnowTheMessagesOfTheSchema() throws IOException
    {
        final Path schemas = Path.of(System.getProperty("signalbox.root")).resolve("scheduler/src/main/sbe");
        final Set<String> names;
        try (Stream<Path> files = Files.list(schemas))
        {
            names = MESSAGE.matcher(Files.readString(files.findFirst().orElseThrow())).results()
                .map((MatchResult match) -> match.group(1)).collect(Collectors.toCollection(TreeSet::new));
        }
        OUTSIDE_GROUPS.forEach(names::remove);

        assertEquals(names, new TreeSet<>(InspectEvents.MESSAGES));
    }
}
