// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.HostileBackend.Act;
import io.signalbox.event.EventReader;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.event.codec.WithdrawnDecoder;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A backend of the threaded engine that is false once, in each way that {@link HostileBackend} knows: the journal has the
 * sentence, and every request ends with all its tokens, those of the failed step included.
 */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MisbehaviourTest
{
    private static final ModelShape SHAPE = new ModelShape(3, 64, 4);
    private static final long LONG_ENOUGH = 60_000_000_000L;
    private static final long TIMEOUT = 1_000_000_000L;
    private static final int REQUESTS = 8;
    private static final int NEW_TOKENS = 12;
    private static final String TIMED_OUT = "a step timed out";
    private static final String CLOCKS = "System\\.nanoTime\\(\\), or CompletionSink\\.NOW";
    private static final String START = "it starts at position \\d+, ";
    private static final String COMPUTED = "but its request has computed \\d+ tokens";
    private static final String EARLY = "step \\d+ of rank 0 was reported complete before its step \\d+";

    /** The sentences of the journal about the backend. */
    private static final class Sentences extends EventReader
    {
        private final List<String> all = new ArrayList<>();

        @Override
        protected void onBackendFault(final BackendFaultDecoder fault)
        {
            all.add(fault.detail());
        }

        @Override
        protected void onWithdrawn(final WithdrawnDecoder withdrawn)
        {
            final String detail = withdrawn.detail();
            if (!detail.isEmpty())
            {
                all.add(detail);
            }
        }

        @Override
        protected void onStepTimedOut(final StepTimedOutDecoder step)
        {
            all.add(TIMED_OUT);
        }
    }

    private final RecordingJournal journal = new RecordingJournal();

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OTHER_START")
    void shouldNameItOnceAndEndEveryRequest(final Act act) throws Exception
    {
        run(act, 0);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NO_ANSWER")
    void shouldDoSoWithDraftTokens(final Act act) throws Exception
    {
        run(act, HostileBackend.DRAFT_TOKENS);
    }

    private void run(final Act act, final int drafts) throws Exception
    {
        final HostileBackend backend = HostileBackend.once(act);
        final SchedulerConfig config = SchedulerConfig.builder().ranks(2).blockSizeTokens(16).kvBlocks(64).depth(2)
            .draftTokens(drafts).router("round-robin").backOffNanos(0).capture(SHAPE).build();
        final EngineConfig context = new EngineConfig().scheduler(config).backend(backend).journal(journal)
            .vocabularySize(HostileBackend.VOCABULARY).impossibleRows(EngineConfig.ImpossibleRows.FAIL_STEP)
            .stepTimeout(Duration.ofNanos(act == Act.NO_ANSWER ? TIMEOUT : 0));
        final EngineClient client = new EngineClient(context);
        final List<Completion> ends = new ArrayList<>();
        try (ThreadedEngine engine = new ThreadedEngine(context))
        {
            client.connect(engine);
            final List<CompletionHandle> handles = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++)
            {
                final int[] prompt = new int[20 + i];
                Arrays.fill(prompt, i);
                handles.add(client.submit(CompletionRequest.prompt(prompt).maxNewTokens(NEW_TOKENS), LONG_ENOUGH));
            }
            for (final CompletionHandle handle : handles)
            {
                ends.add(handle.ended().get(LONG_ENOUGH, TimeUnit.NANOSECONDS));
            }
        }
        assertTrue(backend.hasActed());
        final List<String> sentences = sentences();
        backend.refusals.stream().filter(refusal -> refusal.startsWith("rank=")).forEach(sentences::add);
        // A machine that stops for a second lets the other rank's steps time out as well, and then report too late.
        if (sentences.stream().filter(TIMED_OUT::equals).count() < 2)
        {
            assertSentences(act, sentences);
            ends.forEach(MisbehaviourTest::assertWhole);
        }
        ImpossibleRowsTest.assertReplays(config, journal);
    }

    private static void assertSentences(final Act act, final List<String> sentences)
    {
        final String expected = sentence(act);
        if (expected == null)
        {
            assertEquals(List.of(), sentences);
            return;
        }
        assertTrue(sentences.stream().anyMatch(each -> each.matches(expected)),
            () -> expected + " is not among " + sentences);
        // The step behind a failed one is withdrawn with it and still reported, and so is the step behind one that is owed.
        final boolean isOwed = act == Act.NO_ANSWER || act == Act.NEVER_GIVEN;
        final String behind = notGiven("\\d+", "0") + (isOwed ? "|" + EARLY : "");
        sentences.forEach(
            each -> assertTrue(each.matches(expected + "|" + behind), () -> each + " is not " + expected));
    }

    private static void assertWhole(final Completion end)
    {
        assertTrue(end.refusal().isEmpty());
        assertEquals(FinishReason.LENGTH, end.reason());
        assertEquals(NEW_TOKENS, end.tokens().length);
    }

    private List<String> sentences()
    {
        final Sentences sentences = new Sentences();
        for (final RecordingJournal.Recorded group : journal.recorded)
        {
            sentences.readGroup(new UnsafeBuffer(group.group()), 0, group.group().length);
        }
        return sentences.all;
    }

    /** A pattern, or null if the report changes nothing. */
    private static String sentence(final Act act)
    {
        final String again = "step \\d+ of rank 0 was reported twice|" + notGiven("\\d+", "0");
        return switch (act)
        {
            case SOUND, SOUND_WITH_MISSING_ROWS, FORWARD_AFTERWARDS, STOP_TOO_EARLY -> null;
            case SOUND_TWICE, SOUND_AT_ONCE, FORMER_STEP -> again;
            case FAULT_AND_RESULT -> again + "|the backend gave no reason";
            case FAULT -> "the backend gave no reason";
            case LOST -> "planted loss";
            case NO_ANSWER -> TIMED_OUT;
            case OTHER_EPOCH -> notGiven("\\d+", "-1");
            case NEVER_GIVEN -> notGiven("10\\d", "0");
            case UNKNOWN_RANK ->
                "rank=77 of a backend's report is not one of the ranks 0 to 1; report the rank that the plan names\\.";
            case WRONG_RANK, WRONG_STEP -> "the results of step \\d+ of rank 0 in epoch 0 were reported for step \\d+ of " +
                "rank \\d in epoch 0";
            case OUT_OF_ORDER -> EARLY;
            case MORE_ACCEPTED -> untrue("it accepts \\d tokens, not 1( to \\d)?");
            case NONE_ACCEPTED -> untrue("it accepts 0 tokens, not 1( to \\d)?");
            case WRONG_START -> untrue(START + "(not within \\d+ to \\d+|" + COMPUTED + ")");
            case OTHER_START -> untrue(START + COMPUTED);
            case THROWING_SLICE -> "the capture slice of step \\d+ of rank 0 failed: java\\.lang\\." +
                "IllegalStateException: planted";
            default -> "step \\d+ of rank 0 " + ofReport(act);
        };
    }

    private static String notGiven(final String step, final String epoch)
    {
        return "the backend reported step " + step + " of epoch " + epoch +
            " for rank 0, which was given step \\d+ of epoch 0 last";
    }

    private static String untrue(final String what)
    {
        return "the completion of step \\d+ cannot be true of entry 0, request \\d+: " + what;
    }

    /** Of what the engine finds in the report before the scheduler sees it. */
    private static String ofReport(final Act act)
    {
        return switch (act)
        {
            case FORMER_RESULTS -> "came with the results of step \\d+ of rank 0 in epoch 0";
            case FEWER_ENTRIES, MORE_ENTRIES -> "has \\d+ entries but came with tokens of \\d+";
            case NEGATIVE_TOKEN -> "sampled token -7 for entry 0, but tokens are 0 to 999";
            case TOKEN_RANGE -> "sampled token 1000 for entry 0, but tokens are 0 to 999";
            case LOGPROB_RANGE -> "sampled a token with the log-probability 2\\.0 for entry \\d+, but no probability is " +
                "above 1";
            case NO_TOKENS -> "came without its tokens";
            case RESULT_OF_ANOTHER_CLOCK -> "was reported at -?\\d+ ns, \\S+ s before the engine began; report " + CLOCKS;
            case LAUNCH_OF_ANOTHER_CLOCK -> "was reported at \\d+ ns, \\S+ s ahead of the engine's clock; report " + CLOCKS;
            case NO_ROWS -> "came without its routed-expert rows";
            case FEWER_ROWS, OTHER_ROW_WIDTH -> "computes \\d+ tokens with routed-expert rows of 12 bytes but came with " +
                "\\d+ rows of \\d+ bytes";
            case IMPOSSIBLE_ROWS -> "has routed-expert row 0, and \\d+ more, with an id that is no expert or an expert " +
                "twice in a layer";
            case WRONG_CHECKSUM -> "has routed-expert rows with the CRC32C [0-9a-f]{8}, but the backend captured rows " +
                "with 0000004d";
            default -> throw new AssertionError(act);
        };
    }
}
