// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.FinishReason;
import io.signalbox.experts.RoutedExperts;
import org.opentest4j.AssertionFailedError;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;

/**
 * A request of an {@link EngineHarness}: described, submitted, followed, and compared with the model. A failed assertion
 * names the request and its last decisions.
 */
public final class HarnessRequest
{
    private static final Duration AT_ONCE = Duration.ofSeconds(10);

    private final EngineHarness harness;
    private final int number;
    private final boolean capture;
    private int[] prompt = new int[0];
    private int generate = 1;
    private UnaryOperator<CompletionRequest> options = request -> request;
    private CompletionHandle handle;
    private RoutedExperts rows;

    HarnessRequest(final EngineHarness harness, final int number, final boolean capture)
    {
        this.harness = harness;
        this.number = number;
        this.capture = capture;
    }

    /** A prompt of so many tokens, which no other request begins with. */
    public HarnessRequest prompt(final int tokens)
    {
        prompt = new int[tokens];
        Arrays.setAll(prompt, i -> (int)Math.floorMod(number * 7919L + i * 31L + i / 7, (long)ContextModel.VOCABULARY));
        if (tokens > 0)
        {
            prompt[0] = number % ContextModel.VOCABULARY;
        }
        return this;
    }

    /** A prompt of these tokens. */
    public HarnessRequest promptOf(final int... tokens)
    {
        prompt = tokens.clone();
        return this;
    }

    /** The first tokens of the prompt are those of another request, which is described already. */
    public HarnessRequest beginsLike(final int other, final int tokens)
    {
        final int[] shared = harness.request(other).prompt;
        System.arraycopy(shared, 0, prompt, 0, Math.min(tokens, Math.min(shared.length, prompt.length)));
        return this;
    }

    /** Generates so many tokens at most. */
    public HarnessRequest generate(final int tokens)
    {
        generate = tokens;
        return this;
    }

    /** Any other option of a request: priority, rank hint, deadline. */
    public HarnessRequest with(final UnaryOperator<CompletionRequest> option)
    {
        final UnaryOperator<CompletionRequest> before = options;
        options = request -> option.apply(before.apply(request));
        return this;
    }

    /** Submits the request: it is placed and planned at once if a rank has room. */
    public HarnessRequest submit()
    {
        require(handle == null, "was submitted before; give another number");
        final CompletionRequest request = options.apply(CompletionRequest.prompt(prompt).maxNewTokens(generate));
        handle = harness.engine().submit(capture ? request.routedExperts(0) : request);
        return this;
    }

    /** Asks the engine to cancel the request. */
    public HarnessRequest cancel()
    {
        submitted().cancel();
        return this;
    }

    private CompletionHandle submitted()
    {
        require(handle != null, "was not submitted; call submit first");
        return handle;
    }

    boolean isOpen()
    {
        return handle != null && !handle.isDone();
    }

    /** The tokens that are visible now. */
    public int[] tokens()
    {
        return submitted().tokens();
    }

    /** The rank on which the request was placed last; -1: it waits, or was refused. */
    public int rank()
    {
        return harness.decisions().rank(submitted().requestId());
    }

    /** How often the request lost its blocks to others and started over. */
    public int preemptions()
    {
        return harness.decisions().preemptions(submitted().requestId());
    }

    /** Blocks that the request found in the prefix cache when it was admitted last. */
    public int matchedBlocks()
    {
        return harness.decisions().matchedBlocks(submitted().requestId());
    }

    /** The request has not ended. */
    public HarnessRequest assertOpen()
    {
        require(!submitted().isDone(), "has ended");
        return this;
    }

    public HarnessRequest assertOnRank(final int rank)
    {
        require(rank() == rank, "is on rank " + rank() + " and not on rank " + rank);
        return this;
    }

    /** The request was not accepted. */
    public HarnessRequest assertRefused()
    {
        require(submitted().isDone() && completion().isRefused(), "was not refused");
        return this;
    }

    /** The request ended so. */
    public HarnessRequest assertEnded(final FinishReason reason)
    {
        require(submitted().isDone(), "has not ended; " + submitted().tokenCount() + " tokens are visible");
        require(completion().reason() == reason, "ended by " + completion().reason() + " and not by " + reason);
        return this;
    }

    /** So many tokens are visible, and each is the one that the model generates for this prompt alone. */
    public HarnessRequest assertGenerated(final int tokens)
    {
        final int[] visible = tokens();
        require(visible.length == tokens, "has " + visible.length + " tokens and not " + tokens);
        final int[] expected = ContextModel.tokens(prompt, tokens);
        for (int i = 0; i < tokens; i++)
        {
            require(visible[i] == expected[prompt.length + i], "has the token " + visible[i] + " at place " + i +
                ", and the model generates " + expected[prompt.length + i]);
        }
        return this;
    }

    /** So many rows were captured for the request and inherited by it, none is missing, and each is that of the model. */
    public HarnessRequest assertRows(final int captured, final int inherited)
    {
        final Completion completion = completion();
        require(completion.capturedRows() == captured && completion.inheritedRows() == inherited,
            "has " + completion.capturedRows() + " captured and " + completion.inheritedRows() + " inherited rows, not " +
                captured + " and " + inherited);
        return assertRows();
    }

    private HarnessRequest assertRows()
    {
        final RoutedExperts taken = takeRows();
        final int[] all = ContextModel.tokens(prompt, submitted().tokenCount());
        for (int row = 0; taken != null && row < taken.rows(); row++)
        {
            final int ids = taken.shape().rowIds();
            final short[] actual = Arrays.copyOfRange(taken.ids(), row * ids, (row + 1) * ids);
            final short[] expected = harness.model().row(all, taken.start() + row);
            require(Arrays.equals(expected, actual), "has the row " + Arrays.toString(actual) + " at position " +
                (taken.start() + row) + ", and the model says " + Arrays.toString(expected));
            requireWeights(taken, row, all);
        }
        return this;
    }

    private void requireWeights(final RoutedExperts taken, final int row, final int[] all)
    {
        if (taken.hasCombineWeights())
        {
            final int ids = taken.shape().rowIds();
            final float[] actual = Arrays.copyOfRange(taken.combineWeights(), row * ids, (row + 1) * ids);
            final float[] expected = harness.model().combineWeights(all, taken.start() + row);
            require(Arrays.equals(expected, actual), "has the combine weights " + Arrays.toString(actual) +
                " at position " + (taken.start() + row) + ", and the model says " + Arrays.toString(expected));
        }
    }

    private RoutedExperts takeRows()
    {
        if (rows == null)
        {
            try
            {
                rows = submitted().takeRoutedExperts(AT_ONCE).orElse(null);
            }
            catch (final InterruptedException | TimeoutException e)
            {
                Thread.currentThread().interrupt();
                throw new AssertionFailedError("request " + number + " has not ended, so that it has no rows yet", e);
            }
        }
        return rows;
    }

    private Completion completion()
    {
        require(submitted().isDone(), "has not ended");
        return submitted().completion().toCompletableFuture().join();
    }

    /** If it was submitted: it has ended, and what it generated, and every row, is that of the model. */
    void assertAsTheModelSays()
    {
        if (handle == null)
        {
            return;
        }
        require(handle.isDone(), "has not ended");
        if (!completion().isRefused())
        {
            assertGenerated(handle.tokenCount());
            require(completion().reason() != FinishReason.LENGTH || handle.tokenCount() == generate,
                "ended by LENGTH with " + handle.tokenCount() + " of " + generate + " tokens");
            require(completion().missingRows() == 0, "lacks " + completion().missingRows() + " rows");
            assertRows();
        }
    }

    private void require(final boolean holds, final String fault)
    {
        if (!holds)
        {
            throw new AssertionFailedError("request " + number + " " + fault + ".");
        }
    }
}
