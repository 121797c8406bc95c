// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.backend.Backend;
import io.signalbox.backend.RankSizes;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.ThreadedDriver;
import io.signalbox.engine.FinishReason;
import io.signalbox.event.RequestContent;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.serving.DraftSource;
import io.signalbox.testkit.FaultyBackend.InjectedFault;
import io.signalbox.testkit.FaultyBackend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Whatever is guessed, and however late the start of a step is known, answers and routed experts are those without. */
@Timeout(600)
@ExtendWith(ThreadedDriver.class)
class CudaDraftsTest
{
    private static final int KINDS = 5;
    private static final int DRAFTS = 3;

    @TempDir
    private Path temporary;
    private int runs;

    /** Guesses from answers; every few positions a wrong token, none, or one that the vocabulary does not have. */
    private record Answers(List<List<Integer>> tokens) implements DraftSource
    {
        @Override
        public void guess(
            final RequestContent request, final int from, final int[] guesses, final int at, final int count)
        {
            final List<Integer> answer = tokens.get(request.promptTokens() - DecoderRuns.SHORTEST);
            for (int i = 0; i < count; i++)
            {
                final int place = from + i - request.promptTokens();
                final int right = place >= 0 && place < answer.size() ? answer.get(place) : 0;
                guesses[at + i] = switch ((from + i) % KINDS)
                {
                    case 0 -> right == 0 ? 1 : right - 1;
                    case 1 -> (from + i) % 2 == 0 ? -1 : Integer.MAX_VALUE;
                    default -> right;
                };
            }
        }
    }

    private static SchedulerConfig.Builder scheduler(final int depth)
    {
        return DecoderRuns.scheduler().depth(depth).prefixCaching(false);
    }

    private static Backend backend(final List<List<Integer>> answers, final int depth, final int graphTokens)
    {
        return new CudaBackend(new CudaBackendConfig().model(DecoderRuns.WEIGHTS).stepsInFlight(depth)
            .maxGraphTokens(graphTokens).drafts(answers == null ? null : new Answers(answers)));
    }

    private DecoderRuns.Ends serve(final Backend backend, final SchedulerConfig.Builder scheduler) throws Exception
    {
        final Path journal = temporary.resolve("run" + runs++);
        final DecoderRuns.Ends ends = DecoderRuns.serve(backend, scheduler.build(), journal, () -> { });
        assertEquals(Map.of(FinishReason.LENGTH, DecoderRuns.REQUESTS), ends.reasons());
        assertNull(JournalVerifier.verify(journal, Scheduler::new).difference());
        return ends;
    }

    @Test
    void shouldAnswerAsWithoutDraftTokens() throws Exception
    {
        final DecoderRuns.Ends first = serve(backend(null, 1, 0), scheduler(1));

        compare(first, "one step in flight", backend(first.tokens(), 1, 0), scheduler(1));
        compare(first, "two steps in flight, as graphs", backend(first.tokens(), 2, 16), scheduler(2));
        compare(first, "four steps in flight, prefix hits, chunks of prompts", backend(first.tokens(), 4, 0),
            scheduler(4).prefixCaching(true).stepTokens(6));
        assertTrue(compare(first, "preemptions", backend(first.tokens(), 3, 0), scheduler(3).kvBlocks(10))
            .preemptions().get() > 0, "nothing was preempted");
        final DecoderRuns.Ends bare = serve(backend(first.tokens(), 2, 0), scheduler(2).draftTokens(DRAFTS).capture(null));
        assertEquals(first.tokens(), bare.tokens(), "no capture");
    }

    private DecoderRuns.Ends compare(
        final DecoderRuns.Ends first, final String what, final Backend backend, final SchedulerConfig.Builder scheduler)
        throws Exception
    {
        final DecoderRuns.Ends other = serve(backend, scheduler.draftTokens(DRAFTS));
        assertEquals(first.tokens(), other.tokens(), what);
        assertEquals(first.experts(), other.experts(), what);
        assertEquals(List.of(), other.faults(), what);
        assertTrue(other.several().get() > 0, what + ": no draft token was right");
        return other;
    }

    @Test
    void shouldAnswerAlikeBehindStepsThatFail() throws Exception
    {
        final DecoderRuns.Ends first = serve(backend(null, 1, 0), scheduler(1));
        final FaultyBackend faulty = new FaultyBackend(backend(first.tokens(), 3, 0), 5, 6,
            EnumSet.of(InjectedFault.STEP_FAILED, InjectedFault.TWICE, InjectedFault.FALSE_TOKEN));

        final DecoderRuns.Ends other =
            serve(faulty, scheduler(3).draftTokens(DRAFTS).prefixCaching(true).maxFailures(1000));

        assertEquals(first.tokens(), other.tokens());
        assertEquals(first.experts(), other.experts());
        assertFalse(faulty.injected().isEmpty());
        assertFalse(other.faults().isEmpty());
    }

    @Test
    void shouldRefuseDraftTokensWithoutASourceBeforeItTakesAnything()
    {
        final String message = assertThrows(RuntimeException.class,
            () -> serve(backend(null, 1, 0), scheduler(1).draftTokens(1))).getMessage();

        assertTrue(message.startsWith("draftTokens=1 is more than the 0 draft tokens per entry"), message);
        assertEquals(0, EmulatedDriver.calls("cuMemAlloc"));
    }

    /** Before the first capture every kernel of a step is launched once. */
    @Test
    void shouldLaunchNoFurtherKernelWithoutDraftTokens()
    {
        final long without = launches(null, 0);

        assertEquals(without, launches(List.of(), 0), "a source that is not asked for");
        assertEquals(without + 2, launches(List.of(), 1));
    }

    private static long launches(final List<List<Integer>> answers, final int drafts)
    {
        final long before = EmulatedDriver.calls("cuLaunchKernel");
        try (Backend backend = backend(answers, 1, 0))
        {
            backend.sizes(new RankSizes(8, DecoderRuns.BLOCK_SIZE, 4, 2, 1, drafts));
            backend.start(1, DecoderRuns.SHAPE, new RankReports());
            return EmulatedDriver.calls("cuLaunchKernel") - before;
        }
    }
}
