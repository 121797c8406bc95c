// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.Digits;
import io.signalbox.Tries;
import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.FinishReason;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.scheduler.SchedulerConfig;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Random actions with restarts at random places give every request the tokens and rows that it has without a restart. An
 * engine is left between two inputs, or stops within one: then its last group is in the journal, or is not.
 */
final class RestartPropertyTest
{
    /** One request as its client sees it, over all engines. */
    private static final class Seen
    {
        private final Ask request;
        private CompletionHandle handle;
        private int[] tokens = new int[0];
        private boolean cancelled;

        private Seen(final Ask request)
        {
            this.request = request;
        }
    }

    /** Whether the client has the rows of a request. */
    private enum Taken
    {
        PERHAPS, YES
    }

    private final Map<Long, Seen> seen = new TreeMap<>();
    private final Map<Long, Taken> taken = new HashMap<>();
    private MemoryRun run;
    private Incarnation engine;
    private Random random;
    private SchedulerConfig config;
    private int restarts;
    /** Its engine stopped within the submit: only the journal knows whether it exists. */
    private Seen unanswered;

    @Provide
    Arbitrary<List<Long>> actions()
    {
        return Digits.lists(100);
    }

    @Property
    @Tries(reduced = 80, full = 10_000)
    void shouldGiveEveryRequestTheTokensAndRowsOfARunWithoutRestarts(
        @ForAll("actions") final List<Long> actions, @ForAll @IntRange(min = 1, max = 2) final int depth,
        @ForAll final boolean fewBlocks, @ForAll final boolean lockStep, @ForAll @IntRange(max = 20) final int snapshotSeed)
        throws Exception
    {
        seen.clear();
        taken.clear();
        restarts = 0;
        unanswered = null;
        run = new MemoryRun();
        config = Incarnation.config(depth).kvBlocks(fewBlocks ? 12 : 40).sameStepSharing(false).lockStep(lockStep).build();
        if (snapshotSeed > 0)
        {
            run.beginAtSnapshots(new Random(snapshotSeed));
        }
        engine = new Incarnation(run, config);
        for (final long action : actions)
        {
            random = new Digits(action);
            act();
        }
        random = new Digits(0);
        finish();
        restart();
        finish();
        seen.forEach(this::check);
        assertTrue(restarts > 0);
        engine.close();
    }

    private void act() throws Exception
    {
        try
        {
            switch (random.nextInt(12))
            {
                case 0, 1, 2 -> submit();
                case 3 -> cancel();
                case 4 -> take();
                case 5 -> restart();
                case 6 -> run.stopAfter(1 + random.nextInt(12), random.nextBoolean());
                default -> engine.turn(1 + random.nextInt(4));
            }
            see();
        }
        catch (final IllegalStateException e)
        {
            // The planted stop.
            see();
            restart();
        }
    }

    /** Prompts share prefixes, so that requests share blocks and rows. */
    private void submit()
    {
        final int[] prompt = new int[1 + random.nextInt(40)];
        final int family = random.nextInt(3);
        Arrays.setAll(prompt, i -> (i * 7 + family) % ContentModel.VOCABULARY);
        prompt[prompt.length - 1] = random.nextInt(ContentModel.VOCABULARY);
        final Seen one = new Seen(new Ask(prompt, 1 + random.nextInt(12),
            random.nextInt(3) == 0 ? -1 : random.nextInt(prompt.length), random.nextInt(2)));
        unanswered = one;
        one.handle = engine.submit(one.request);
        unanswered = null;
        final Seen former = seen.put(one.handle.requestId(), one);
        assertEquals(null, former, "an id was given twice");
    }

    private Seen any()
    {
        return seen.isEmpty() ? null :
            seen.values().stream().skip(random.nextInt(seen.size())).findFirst().orElseThrow();
    }

    private void cancel()
    {
        final Seen one = any();
        if (one != null && one.handle != null)
        {
            one.cancelled = true;
            one.handle.cancel();
        }
    }

    private void take() throws Exception
    {
        final Seen one = any();
        if (one != null && one.handle != null && isEnded(one.handle))
        {
            takeRows(one);
        }
    }

    private void takeRows(final Seen one) throws Exception
    {
        final Completion ended = Incarnation.end(one.handle);
        final long id = one.handle.requestId();
        if (one.request.rowsFrom() >= 0 && ended.reason() == FinishReason.LENGTH && taken.get(id) != Taken.YES)
        {
            // The engine may stop within the release: only the journal knows whether it has it.
            final boolean asked = taken.get(id) != null;
            // Without a release, so that they must be there again, also after a restart.
            final RoutedExperts stored = Incarnation.storedRows(one.handle);
            assertTrue(stored != null || asked, "the rows of request " + id + " are lost");
            if (random.nextInt(3) > 0)
            {
                taken.put(id, Taken.PERHAPS);
                final RoutedExperts rows = release(one.handle, stored);
                assertTrue(rows == stored || rows != null, "the rows of request " + id + " are gone after a look at them");
                assertEquals(null, Incarnation.storedRows(one.handle));
                taken.put(id, Taken.YES);
            }
            if (stored != null)
            {
                ContentModel.assertRows(one.request, ended.tokenCount(), stored);
            }
        }
    }

    /** Releases the rows in one step or in two. */
    private RoutedExperts release(final CompletionHandle handle, final RoutedExperts stored) throws Exception
    {
        if (random.nextBoolean())
        {
            return Incarnation.rows(handle);
        }
        Incarnation.releaseRows(handle);
        return stored;
    }

    private static boolean isEnded(final CompletionHandle handle)
    {
        return handle.isDone() && !handle.completion().toCompletableFuture().isCompletedExceptionally();
    }

    /** Visible tokens stay visible: others are only added. */
    private void see()
    {
        for (final Seen one : seen.values())
        {
            if (one.handle != null)
            {
                final int[] now = one.handle.tokens();
                assertArrayEquals(one.tokens, Arrays.copyOf(now, one.tokens.length));
                one.tokens = now;
            }
        }
    }

    private void restart()
    {
        restarts++;
        for (final Seen one : seen.values())
        {
            one.handle = one.handle != null && isEnded(one.handle) ? one.handle : null;
        }
        engine = new Incarnation(run, config);
        for (final CompletionHandle handle : engine.resumed())
        {
            if (!seen.containsKey(handle.requestId()))
            {
                assertTrue(unanswered != null, "request " + handle.requestId() + " was never submitted");
                seen.put(handle.requestId(), unanswered);
                unanswered = null;
            }
            seen.get(handle.requestId()).handle = handle;
        }
        unanswered = null;
        see();
    }

    private void finish() throws Exception
    {
        run.stopAfter(1_000_000, true);
        engine.finish();
        see();
    }

    private void check(final long id, final Seen one)
    {
        assertTrue(one.handle != null, "request " + id + " is lost");
        try
        {
            final Completion ended = Incarnation.end(one.handle);
            assertTrue(ended.reason() == FinishReason.LENGTH || one.cancelled && ended.reason() == FinishReason.CANCELLED,
                "request " + id + " ended as " + ended.reason() + " " + ended.refusal());
            final int count = ended.reason() == FinishReason.LENGTH ? one.request.maxNewTokens() : ended.tokenCount();
            assertArrayEquals(ContentModel.generated(one.request, count), one.handle.tokens());
            if (ended.reason() == FinishReason.LENGTH && engine.resumed().contains(one.handle))
            {
                takeRows(one);
            }
        }
        catch (final Exception e)
        {
            throw new AssertionError("request " + id, e);
        }
    }
}
