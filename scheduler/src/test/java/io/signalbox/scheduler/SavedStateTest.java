// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Each field of the core is saved, follows from others when it is restored, or is named here with the reason. */
final class SavedStateTest
{
    private static final Path SOURCES =
        Path.of(System.getProperty("signalbox.root"), "scheduler/src/main/java/io/signalbox");
    private static final Pattern METHOD =
        Pattern.compile("\\n    [^\\n/*]*\\b(?:save|restore|Saved)\\w*\\([^;{]*\\{\\n.*?\\n    }\\n", Pattern.DOTALL);
    /** Settings, codecs, results, and space that is used within one input. */
    private static final Set<String> WITHOUT_STATE = Set.of("BatchRegistration", "BlockUsage", "ByteIds", "CapturedRows",
        "CommittedSpans", "DeregisteredBlocks", "InputReader", "LongPrefills", "OutputEncoder", "PrefixMatch",
        "RegisteredBlocks", "RoutedExperts", "RowCheck", "RowHandover", "RowIntake", "SchedulerConfig", "StepCommit",
        "StepResults", "WordDigests");
    /** Look-ups that are filled from the saved state when it is restored. */
    private static final Set<String> FILLED = Set.of("EvictionHeap", "PrefixIndex", "RankPrefixIndex", "ReadyRanks");
    /** By class, the fields that mean nothing between two inputs, or that follow from others. */
    private static final Map<String, String> NOT_SAVED = Map.ofEntries(
        Map.entry("AdmissionRoom", "allocator promises"),
        Map.entry("BatchPlanner", "blocks budget leftOneWaiting load mustTakeVictim tookVictim"),
        Map.entry("BlockArguments", "records"),
        Map.entry("BlockPages", "listedPages pages rowsAlreadyThere sameBlock"),
        Map.entry("BlockRecords", "words"),
        Map.entry("BlockRelease", "free prefixes records"),
        Map.entry("DpRank", "withSlot"),
        Map.entry("FairQueue", "chosen namedKeys namedWeights"),
        Map.entry("FreeBlocks", "sortBuffer sortCounts"),
        Map.entry("IndexedPrefixes", "allocator"),
        Map.entry("OpenSteps", "oldest ring"),
        Map.entry("PendingBlocks", "digest unused"),
        Map.entry("Placement", "batched claimed isOnlyBegun matchedBlocks popped position ranks recordedOrder router " +
            "samples unplaced"),
        Map.entry("PrefixTree", "evictedLately lookedAt"),
        Map.entry("PromptSamples", "requests"),
        Map.entry("RankBlocks", "planInWork"),
        Map.entry("RecordedRouter", "digest group next placements repeated terms"),
        Map.entry("Request", "deeper liveIndex steadyCommitEnd steadyPlanEnd steadyWeights step0 step1 word0 word1"),
        Map.entry("RequestEnding", "placement queue ranks requests samples"),
        Map.entry("RequestQueue", "head ring"),
        Map.entry("RequestRows", "pages"),
        Map.entry("RequestTable", "byId pages unusedCount"),
        Map.entry("RetiringBlocks", "allocator"),
        Map.entry("RoutedExpertPages", "digest freeCount freePages pageCount"),
        Map.entry("RowReader", "pages"),
        Map.entry("StepFailures", "exhausted ranks"),
        Map.entry("StepPlan", "admitted changeBlocks changeCount changeIndexes changeIssues changeKinds changeRequests " +
            "evictedBlocks evictedCount evictedHashes matchedBlocks resumed"),
        Map.entry("Submissions", "requests"),
        Map.entry("Suspects", "entries inStep isSecond most mostOfLast"),
        Map.entry("WeightChange", "ends ranks"),
        Map.entry("WeightSpans", "lastGeneration lastStart"));

    @Test
    void shouldSaveEveryFieldOrSayWhyNot() throws Exception
    {
        final Set<String> forgotten = new TreeSet<>();
        for (final String room : List.of("kv", "experts", "batch", "scheduler"))
        {
            try (Stream<Path> files = Files.list(SOURCES.resolve(room)))
            {
                for (final Path file : files.filter(path -> path.toString().endsWith(".java")).toList())
                {
                    addForgotten(room, file, forgotten);
                }
            }
        }
        assertEquals(Set.of(), forgotten);
    }

    private static void addForgotten(final String room, final Path file, final Set<String> forgotten)
        throws IOException, ClassNotFoundException
    {
        final String name = file.getFileName().toString().replace(".java", "");
        if (name.equals("package-info") || WITHOUT_STATE.contains(name) || FILLED.contains(name))
        {
            return;
        }
        final StringBuilder saving = new StringBuilder(NOT_SAVED.getOrDefault(name, ""));
        for (final Matcher method = METHOD.matcher(Files.readString(file)); method.find();)
        {
            saving.append(method.group());
        }
        final Class<?> type = Class.forName("io.signalbox." + room + "." + name);
        for (final Field field : type.getDeclaredFields())
        {
            final boolean isState = !Modifier.isStatic(field.getModifiers()) && !field.isSynthetic() &&
                !type.isRecord() && !type.isEnum() && !Throwable.class.isAssignableFrom(type) &&
                !(Modifier.isFinal(field.getModifiers()) && isFixed(field.getType()));
            if (isState && !Pattern.compile("\\b" + field.getName() + "\\b").matcher(saving).find())
            {
                forgotten.add(name + "." + field.getName());
            }
        }
    }

    /** Whether an object of the class never changes, or is a part that has no state to save. */
    private static boolean isFixed(final Class<?> type)
    {
        return !type.isArray() && !type.getName().startsWith("org.agrona.collections") &&
            Stream.of(type.getDeclaredMethods()).noneMatch(method -> method.getName().matches("save|restore"));
    }
}
