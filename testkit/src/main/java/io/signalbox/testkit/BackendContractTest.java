// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.WeightSwap;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The contract of {@link Backend}, for any backend: extend this class, and make a backend. Each test states one duty; a
 * backend that breaks it fails the test with a sentence that names the backend, whatever it throws, and also if it never
 * answers or never returns.
 *
 * <p>The scheduler makes the plans, up to the depth and with the draft tokens that the backend declares; so the tests need
 * no plan by hand. The backend may report from any thread. One that works on the thread of its caller overrides
 * {@link #work}.
 */
public abstract class BackendContractTest
{
    private static final int RANKS = 2;
    private static final int REQUESTS = 24;
    private static final int LATE_MILLIS = 500;
    private static final int MOST_DRAFTS = 3;
    /** Waits of one test, each of which may take the patience. */
    private static final int MOST_WAITS = 6;
    private static final Duration ROWS_WAIT = Duration.ofSeconds(10);

    /** Of the backend that was made last. */
    private int maxPositions = Integer.MAX_VALUE;

    /** A new backend that was not started; every call makes another one. */
    protected abstract Backend backend();

    /** The rows that the backend captures, with combine weights if it captures them; {@code null} if it captures none. */
    protected ModelShape shape()
    {
        final BackendCapabilities can = capabilities();
        return can.capturesExperts() ? new ModelShape(3, 16, 2).withCombineWeights(can.capturesCombineWeights()) : null;
    }

    /** Token ids of the model are below it. */
    protected int vocabularySize()
    {
        return Integer.MAX_VALUE;
    }

    /**
     * Whether a request without temperature gets the same tokens alone, in a crowd, at every depth and with draft tokens.
     * Override it for kernels whose arithmetic depends on the batch.
     */
    protected boolean generatesTheSameInEveryBatch()
    {
        return true;
    }

    /** Whether steps may fail: if not, each fault that the backend reports fails the test. */
    protected boolean failsSteps()
    {
        return false;
    }

    /** The clock of the reports; {@code null} if the backend reports times of its own, such as virtual ones. */
    protected LongSupplier clock()
    {
        return BackendTraits.SYSTEM_CLOCK;
    }

    /** How long a step may take until it is answered, and a call until it returns. */
    protected Duration patience()
    {
        return Duration.ofSeconds(10);
    }

    /**
     * Prepares new weights of a backend that declares to replace its weights, and returns their version. Override it unless
     * the backend takes any version.
     *
     * @param generation from 1 on.
     */
    protected String newWeights(final Backend backend, final int generation)
    {
        return "";
    }

    /**
     * Drives a backend that works on the thread of its caller; the other calls come from the same thread.
     *
     * @return whether there was something to do.
     */
    protected boolean work(final Backend backend)
    {
        return false;
    }

    /** The declaration has a name, does not change, and is known before the start. */
    @Test
    public void declaresWhatItCanDo()
    {
        run("declaring what it can do", () ->
        {
            final BackendCapabilities first = capabilities();
            final Backend backend = made();
            final BackendCapabilities second = backend.capabilities();
            backend.close();
            require(first.name() != null && !first.name().isBlank(), "has no name");
            require(first.name().equals(second.name()) && first.depth() == second.depth() &&
                first.draftTokens() == second.draftTokens() && first.readsTokens() == second.readsTokens() &&
                first.capturesExperts() == second.capturesExperts() &&
                first.capturesCombineWeights() == second.capturesCombineWeights(), "declares something else at each call");
            require(backend.stepTimeoutNanos() >= 0, "has a negative step timeout");
            require(backend.closeTimeoutNanos() >= 0, "has a negative close timeout");
        });
    }

    /** Every step of a crowd of requests is answered once, by sound results of that step, in order. */
    @Test
    public void answersEveryStep()
    {
        run("answering every step", () -> crowd(1, 0, shape()));
    }

    /** The same with as many steps in flight as it takes, as many draft tokens, and little memory. */
    @Test
    public void answersEveryStepAtItsDepthAndWithItsDrafts()
    {
        run("answering steps at its depth", () -> crowd(mostDepth(), mostDrafts(), shape()));
    }

    /** Without capture, there are no rows. */
    @Test
    public void lendsNoRowsIfCaptureIsOff()
    {
        run("answering steps without capture", () -> crowd(1, 0, null));
    }

    /** A backend that captures combine weights delivers them if they are asked for, and else ids alone. */
    @Test
    public void capturesCombineWeightsIfAsked()
    {
        if (capabilities().capturesCombineWeights())
        {
            run("capturing combine weights", () ->
            {
                crowd(1, 0, shape().withCombineWeights(true));
                crowd(1, 0, shape().withCombineWeights(false));
            });
        }
    }

    /** Depth, draft tokens, other requests, preemption and prefix hits never change a token. */
    @Test
    public void generatesTheSameInEveryOrder()
    {
        if (generatesTheSameInEveryBatch())
        {
            run("generating the same tokens in every order", () ->
            {
                final List<int[]> alone = alone();
                compare("alone, by a second backend", alone, alone());
                compare("in a crowd", alone, crowd(1, 0, shape()));
                compare("with " + mostDepth() + " steps in flight and " + mostDrafts() + " draft tokens", alone,
                    crowd(mostDepth(), mostDrafts(), shape()));
            });
        }
    }

    /** A backend that masks stop tokens samples none while an answer is too short, and one afterwards as any other token. */
    @Test
    public void leavesOutStopTokensOfShortAnswers()
    {
        if (capabilities().masksStopTokens())
        {
            run("leaving out stop tokens", () ->
            {
                final List<int[]> plain = alone();
                stopEarly(plain, 1, 0);
                stopEarly(plain, mostDepth(), mostDrafts());
            });
        }
    }

    /** Each request stops with a token of its own answer, which may end the second half of the answer only. */
    private void stopEarly(final List<int[]> plain, final int depth, final int drafts) throws Exception
    {
        try (BackendRun run = newRun(made(), config(depth, drafts, shape(), true), false))
        {
            final List<CompletionHandle> handles = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++)
            {
                handles.add(run.submit(ContractRequests.request(i, vocabularySize(), maxPositions, shape() != null)
                    .stopAt(stopOf(plain.get(i), i)).minNewTokens(leastOf(i))));
            }
            run.awaitAll();
            for (int i = 0; i < REQUESTS; i++)
            {
                checkStop(i, plain.get(i), handles.get(i).tokens());
            }
            run.check();
        }
    }

    private static int leastOf(final int request)
    {
        return ContractRequests.newTokens(request) / 2;
    }

    /** By turns the first token, which must not come, and the first one that may. */
    private static int stopOf(final int[] plain, final int request)
    {
        return plain[request % 2 * leastOf(request)];
    }

    private void checkStop(final int request, final int[] plain, final int[] answer)
    {
        final int stop = stopOf(plain, request);
        final int least = leastOf(request);
        final String who = "request " + (request + 1) + " with the stop token " + stop + " and at least " + least +
            " new tokens";
        int same = 0;
        for (int i = 0; i < answer.length; i++)
        {
            require(i >= least || answer[i] != stop,
                "sampled the stop token " + stop + " as token " + (i + 1) + " of " + who);
            require(!generatesTheSameInEveryBatch() || i > same || plain[i] == stop && i < least || answer[i] == plain[i],
                "left out token " + plain[i] + " as token " + (i + 1) + " of " + who);
            same += same == i && answer[i] == plain[i] ? 1 : 0;
        }
    }

    /** submit, and newWeights if it has it, return although a former report still waits in the sink. */
    @Test
    public void acceptsStepsWhileItsReportsWait()
    {
        run("taking a step while its reports wait in the sink", () ->
        {
            final Backend backend = made();
            try (BackendRun run = newRun(backend, config(1, 0, shape(), true), true))
            {
                for (int i = 0; i < 2 * RANKS; i++)
                {
                    run.submit(ContractRequests.request(i, vocabularySize(), maxPositions, shape() != null));
                }
                require(run.submits() == RANKS, "got " + run.submits() + " steps instead of " + RANKS);
                if (backend.capabilities().swapsWeights())
                {
                    run.newWeights(WeightSwap.CONTINUE, newWeights(backend, 1));
                }
                run.openGate();
                run.awaitAll();
            }
        });
    }

    /** The abort of a step that was reported is harmless; the rank takes further steps. */
    @Test
    public void toleratesTheAbortOfAReportedStep()
    {
        run("aborting a step that it has reported", () ->
        {
            try (BackendRun run = newRun(made(), config(1, 0, shape(), true), false))
            {
                run.submit(ContractRequests.request(1, vocabularySize(), maxPositions, shape() != null));
                run.awaitAll();
                run.abortAnswered();
                run.abortAnswered();
                run.submit(ContractRequests.request(2, vocabularySize(), maxPositions, shape() != null));
                run.awaitAll();
            }
        });
    }

    /** New weights between steps in flight, if it declares them; else they are refused by name. */
    @Test
    public void replacesItsWeightsOrRefusesByName()
    {
        run("replacing its weights", () ->
        {
            final Backend backend = made();
            if (!backend.capabilities().swapsWeights())
            {
                requireRefusal("newWeights", () -> backend.newWeights(1, ""), backend);
                return;
            }
            try (BackendRun run = newRun(backend, config(mostDepth(), mostDrafts(), shape(), true), false))
            {
                int generation = 0;
                for (final WeightSwap way : List.of(WeightSwap.CONTINUE, WeightSwap.REQUEUE, WeightSwap.ABORT))
                {
                    submitAll(run, REQUESTS / 2);
                    run.newWeights(way, newWeights(backend, ++generation));
                    run.awaitAll();
                }
            }
        });
    }

    /** A rank that is not lost can be reset, if it declares that; else the reset is refused by name. */
    @Test
    public void resetsARankOrRefusesByName()
    {
        run("resetting a rank", () ->
        {
            final Backend backend = made();
            if (!backend.capabilities().resetsRanks())
            {
                requireRefusal("reset", () -> backend.reset(0), backend);
                return;
            }
            try (BackendRun run = newRun(backend, config(1, 0, shape(), true), false))
            {
                submitAll(run, REQUESTS / 2);
                run.awaitAll();
                for (int rank = 0; rank < RANKS; rank++)
                {
                    run.reset(rank);
                }
                submitAll(run, REQUESTS / 2);
                run.awaitAll();
            }
        });
    }

    /** close ends a backend that never started, works twice, and with steps in flight; afterwards nothing is reported. */
    @Test
    public void closesOnceForAll()
    {
        run("closing it", () ->
        {
            final Backend unused = made();
            unused.close();
            unused.close();
            final List<Thread> before = new ArrayList<>(Thread.getAllStackTraces().keySet());
            final Backend backend = made();
            final BackendRun run = newRun(backend, config(mostDepth(), 0, shape(), true), true);
            submitAll(run, REQUESTS);
            run.close();
            backend.close();
            ContractThreads.awaitEndOfOthers(before, LATE_MILLIS);
            run.check();
        });
    }

    private BackendCapabilities capabilities()
    {
        final Backend backend = made();
        final BackendCapabilities capabilities = backend.capabilities();
        backend.close();
        return capabilities;
    }

    private Backend made()
    {
        final Backend backend = backend();
        require(backend != null, "is null; return a new backend");
        require(backend.capabilities() != null, "declares null instead of capabilities");
        maxPositions = backend.capabilities().maxPositions();
        return backend;
    }

    private BackendRun newRun(final Backend backend, final SchedulerConfig config, final boolean held)
    {
        return new BackendRun(backend, config, new BackendTraits(vocabularySize(), failsSteps(), patience(), clock()),
            () -> work(backend), held);
    }

    private int mostDepth()
    {
        return Math.min(SchedulerConfig.MAX_DEPTH, capabilities().depth());
    }

    private int mostDrafts()
    {
        return Math.min(MOST_DRAFTS, capabilities().draftTokens());
    }

    private SchedulerConfig config(final int depth, final int drafts, final ModelShape shape, final boolean sharing)
    {
        final BackendCapabilities capabilities = capabilities();
        return SchedulerConfig.builder().ranks(RANKS).blockSizeTokens(8).kvBlocks(33).stepTokens(48).depth(depth)
            .draftTokens(drafts).capture(shape).prefixCaching(sharing).backOffNanos(0)
            .sameStepSharing(sharing && capabilities.writesKvFirst()).build();
    }

    private List<CompletionHandle> submitAll(final BackendRun run, final int count)
    {
        final List<CompletionHandle> handles = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            handles.add(run.submit(ContractRequests.request(i, vocabularySize(), maxPositions, shape() != null)));
        }
        return handles;
    }

    /** All requests at once; returns their tokens. */
    private List<int[]> crowd(final int depth, final int drafts, final ModelShape shape) throws Exception
    {
        final List<int[]> tokens = new ArrayList<>();
        try (BackendRun run = newRun(made(), config(depth, drafts, shape, true), false))
        {
            final List<CompletionHandle> handles = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++)
            {
                handles.add(run.submit(ContractRequests.request(i, vocabularySize(), maxPositions, shape != null)));
            }
            run.awaitAll();
            for (int i = 0; i < REQUESTS; i++)
            {
                tokens.add(ended(i, handles.get(i)));
            }
            checkRows(run, handles, shape);
        }
        return tokens;
    }

    /** One request after the other, on blocks that are not shared. */
    private List<int[]> alone() throws Exception
    {
        final List<int[]> tokens = new ArrayList<>();
        try (BackendRun run = newRun(made(), config(1, 0, null, false), false))
        {
            for (int i = 0; i < REQUESTS; i++)
            {
                final CompletionHandle handle =
                    run.submit(ContractRequests.request(i, vocabularySize(), maxPositions, false));
                run.awaitAll();
                tokens.add(ended(i, handle));
            }
        }
        return tokens;
    }

    private int[] ended(final int request, final CompletionHandle handle)
    {
        final int wanted = ContractRequests.newTokens(request);
        require(handle.tokenCount() == wanted, "generated " + handle.tokenCount() + " tokens for request " +
            handle.requestId() + ", which wants " + wanted);
        return handle.tokens();
    }

    private void checkRows(final BackendRun run, final List<CompletionHandle> handles, final ModelShape shape)
        throws Exception
    {
        for (int i = 0; i < handles.size() && shape != null; i++)
        {
            final int[] prompt = ContractRequests.prompt(i, vocabularySize(), maxPositions);
            final int[] all = Arrays.copyOf(prompt, prompt.length + handles.get(i).tokenCount());
            System.arraycopy(handles.get(i).tokens(), 0, all, prompt.length, handles.get(i).tokenCount());
            run.oracle().request(handles.get(i).requestId(), all);
        }
        for (int i = 0; i < handles.size() && shape != null; i++)
        {
            final RoutedExperts rows = handles.get(i).takeRoutedExperts(ROWS_WAIT).orElse(null);
            for (final String difference : run.oracle().differences(handles.get(i).requestId(), rows))
            {
                require(difference.endsWith(" is missing"), "captured rows of which " + difference);
            }
        }
        run.check();
    }

    private void compare(final String how, final List<int[]> expected, final List<int[]> actual)
    {
        for (int i = 0; i < expected.size(); i++)
        {
            require(Arrays.equals(expected.get(i), actual.get(i)), "generated " + Arrays.toString(actual.get(i)) +
                " for request " + (i + 1) + " " + how + ", and " + Arrays.toString(expected.get(i)) + " alone");
        }
    }

    private void requireRefusal(final String call, final Runnable refused, final Backend backend)
    {
        try
        {
            refused.run();
        }
        catch (final UnsupportedOperationException e)
        {
            require(e.getMessage() != null && e.getMessage().contains(backend.capabilities().name()),
                "refuses " + call + " with a sentence that does not name the backend: " + e.getMessage());
            return;
        }
        finally
        {
            backend.close();
        }
        require(false, "does not declare " + call + ", and did not refuse it");
    }

    private void require(final boolean holds, final String fault)
    {
        if (!holds)
        {
            throw new AssertionFailedError("the backend of " + getClass().getSimpleName() + " " + fault + ".");
        }
    }

    private void run(final String doing, final Bounded.Work work)
    {
        EngineFlags.require();
        Bounded.run("the backend of " + getClass().getSimpleName(), doing, patience().multipliedBy(MOST_WAITS), work);
    }
}
