// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;

class JournalConfigTest
{
    @Test
    void shouldSayWhatDiffersFromTheDefaults()
    {
        final JournalConfig config = JournalConfig.of(Durability.PROCESS);
        assertEquals("durability PROCESS", config.toString());
        assertEquals("durability BATCH {segmentBytes=65536, snapshotEvery=1000}", JournalConfig.of(Durability.BATCH)
            .withSegmentBytes(65_536).withSnapshotEvery(1_000).toString());
        assertEquals("journal runs/1 with durability PROCESS",
            new DirectoryJournal(Path.of("runs", "1"), config).toString());
    }
}
