// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.scheduler.MutatedClasses;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

/** The checks of retention and of the checksums of segments find every defect that is planted into them. */
@Timeout(600)
final class PlantedRetentionDefectTest
{
    @TempDir
    private Path directory;

    /** A defect of one file. */
    enum Plant
    {
        REQUESTS_FORGOTTEN("JournalRetention.java", "newest = atMost(newest, need.segment(),",
            "newest = atMost(newest, newest,"),
        NEWER_SNAPSHOT_TAKEN("JournalRetention.java", "schedulers.get(SnapshotFiles.ALWAYS_KEPT - 1)",
            "schedulers.get(0)", "states.get(SnapshotFiles.ALWAYS_KEPT - 1)", "states.get(0)"),
        NEWER_SCHEDULER_TAKEN("JournalRetention.java", "schedulers.get(SnapshotFiles.ALWAYS_KEPT - 1)", "schedulers.get(0)"),
        NEWER_STATE_TAKEN("JournalRetention.java", "states.get(SnapshotFiles.ALWAYS_KEPT - 1)", "states.get(0)"),
        SCHEDULER_PASSED("JournalRetention.java", "return List.of(schedulers.get(SnapshotFiles.ALWAYS_KEPT - 1), ",
            "return List.of("),
        READER_IGNORED("JournalRetention.java", "newest = atMost(newest, OpenScans.oldestSegment(directory),",
            "newest = atMost(newest, newest,"),
        LOCK_IGNORED("JournalRetention.java", "            return AT_WORK.add(journal);\n",
            "            return AT_WORK.add(journal) || AT_WORK.size() > 0;\n"),
        COPY_NOT_WRITTEN("segment/JournalBeginning.java",
            "        AsideFile.write(directory.resolve(COPY), bytes, true);\n", ""),
        WRONG_RECORD("segment/ScanProgress.java", "        records = start.place().records();\n",
            "        records = start.place().records() + 1;\n"),
        PIECE_NOT_COMPARED("segment/SegmentSums.java",
            "            sum(source, piece, index, coveredBytes) == sums[index];\n",
            "            (index > 0 || sum(source, piece, index, coveredBytes) == sums[index]);\n"),
        FIRST_BYTES_LEFT_OUT("segment/SegmentSums.java", "hashBytesToLong(piece, 0, length)",
            "hashBytesToLong(piece, 4, length - 4)");

        private final String file;
        private final List<String> edits;

        Plant(final String file, final String... edits)
        {
            this.file = file;
            this.edits = List.of(edits);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindThePlantedDefect(final Plant plant)
    {
        final MutatedClasses classes = MutatedClasses.of("journal/" + plant.file, plant.edits, directory);
        assertNotNull(classes.call(RetentionRuns.class, "firstFailure", 0), "nothing finds " + plant);
    }

    @Test
    void shouldFindNothingWithoutAChange()
    {
        assertNull(MutatedClasses.unchanged(directory).call(RetentionRuns.class, "firstFailure", 0));
    }
}
