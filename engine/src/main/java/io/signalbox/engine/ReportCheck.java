// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.StepTokens;
import io.signalbox.engine.step.LaunchedSteps;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;

/**
 * Compares the report of a backend with the step that its rank was given. Every method returns the fault as a sentence
 * for the journal, or {@code null}. Thread-safe.
 */
final class ReportCheck
{
    /** One byte of a {@code D2hComplete} counts them. */
    private static final int MAX_ACCEPTED = SchedulerConfig.MAX_DRAFT_TOKENS + 1;

    /** Above 0 by rounding only. */
    private static final float MOST_LOGPROB = 0.01f;

    private final ModelShape capture;
    private final int vocabularySize;
    private final EngineConfig.ImpossibleRows impossibleRows;

    /**
     * @param capture        the rows that every completion brings, or null if capture is off.
     * @param vocabularySize token ids are below it.
     */
    ReportCheck(final ModelShape capture, final int vocabularySize, final EngineConfig.ImpossibleRows impossibleRows)
    {
        this.impossibleRows = impossibleRows;
        this.capture = capture;
        this.vocabularySize = vocabularySize;
    }

    /** Treatment of a row that no expert router can have chosen. */
    EngineConfig.ImpossibleRows impossibleRows()
    {
        return impossibleRows;
    }

    /** The rows that every completion brings, or null if capture is off. */
    ModelShape capture()
    {
        return capture;
    }

    /** A second report of a step, or a report after an input that was offered without the backend. */
    static String repeated(final int rank, final long step)
    {
        return "step " + step + " of rank " + rank + " was reported twice";
    }

    /** A report of a step that is not among the latest steps of its rank. */
    static String notGiven(final int lastEpoch, final long lastStep, final int epoch, final int rank, final long step)
    {
        return "the backend reported step " + step + " of epoch " + epoch + " for rank " + rank + ", which was given " +
            (lastStep == 0 ? "no step yet" : "step " + lastStep + " of epoch " + lastEpoch + " last");
    }

    /**
     * Whether the backend owes the result of an earlier step: the steps of a rank complete in their order, unless they are
     * withdrawn.
     */
    static String order(final LaunchedSteps launches, final LaunchedSteps.Launch launch, final int rank)
    {
        // First: once the step is not owed any more, later steps say nothing about it.
        final long oldest = launches.oldestOwed(rank);
        return oldest == 0 || oldest >= launch.step() || launch.isWithdrawn() ? null :
            "step " + launch.step() + " of rank " + rank + " was reported complete before its step " + oldest;
    }

    /** Whether a step that is not among the latest steps of its rank is an earlier step: its result comes too late. */
    static boolean isFormer(final int lastEpoch, final long lastStep, final int epoch, final long step)
    {
        return step > 0 && (epoch < lastEpoch || epoch == lastEpoch && step < lastStep);
    }

    /** Whether the results name the step that they are reported for. */
    static boolean isOf(final StepTokens tokens, final int epoch, final int rank, final long step)
    {
        return tokens.rank() == rank && tokens.step() == step && tokens.epoch() == epoch;
    }

    static String misaddressed(final StepTokens tokens, final int epoch, final int rank, final long step)
    {
        return "the results of step " + tokens.step() + " of rank " + tokens.rank() + " in epoch " + tokens.epoch() +
            " were reported for step " + step + " of rank " + rank + " in epoch " + epoch;
    }

    /** Whether the tokens can be those of the rank's step. Where entries start is left to the scheduler. */
    String tokens(final LaunchedSteps.Launch launch, final int rank, final StepTokens tokens)
    {
        if (tokens == null)
        {
            return prefix(launch, rank) + "came without its tokens";
        }
        if (!isOf(tokens, launch.epoch(), rank, launch.step()))
        {
            return prefix(launch, rank) + "came with " + (tokens.rank() < 0 ? "results that name no step" :
                "the results of step " + tokens.step() + " of rank " + tokens.rank() + " in epoch " + tokens.epoch());
        }
        if (tokens.entryCount() != launch.entries())
        {
            return prefix(launch, rank) + "has " + launch.entries() + " entries but came with tokens of " +
                tokens.entryCount();
        }
        int token = 0;
        for (int entry = 0; entry < tokens.entryCount(); entry++)
        {
            if (tokens.accepted(entry) > MAX_ACCEPTED)
            {
                return prefix(launch, rank) + "accepted " + tokens.accepted(entry) + " tokens for entry " + entry +
                    ", but no entry accepts more than " + MAX_ACCEPTED;
            }
            for (final int end = token + tokens.accepted(entry); token < end; token++)
            {
                if (!isToken(tokens.token(token)))
                {
                    return prefix(launch, rank) + "sampled token " + tokens.token(token) + " for entry " + entry +
                        ", but tokens are 0 to " + (vocabularySize - 1);
                }
                if (tokens.logprob(token) > MOST_LOGPROB)
                {
                    return prefix(launch, rank) + "sampled a token with the log-probability " + tokens.logprob(token) +
                        " for entry " + entry + ", but no probability is above 1";
                }
            }
        }
        return null;
    }

    private boolean isToken(final int token)
    {
        return token >= 0 && token < vocabularySize;
    }

    private static String prefix(final LaunchedSteps.Launch launch, final int rank)
    {
        return "step " + launch.step() + " of rank " + rank + " ";
    }

    /** Whether the rows can be those of the rank's step. Expert ids are checked when they are encoded. */
    String rows(final LaunchedSteps.Launch launch, final int rank, final CaptureSlice rows)
    {
        final String fault = rows(launch.tokens(), rows);
        return fault == null ? null : prefix(launch, rank) + fault;
    }

    private String rows(final int planned, final CaptureSlice rows)
    {
        if (capture == null)
        {
            return rows == null ? null : "came with routed-expert rows, but capture is off";
        }
        if (rows == null)
        {
            return "came without its routed-expert rows";
        }
        if (rows.rowCount() != planned || rows.rowBytes() != capture.rowBytes())
        {
            return "computes " + planned + " tokens with routed-expert rows of " + capture.rowBytes() +
                " bytes but came with " + rows.rowCount() + " rows of " + rows.rowBytes() + " bytes";
        }
        return bytes(rows.buffer(), rows.offset(), planned * capture.rowBytes());
    }

    private static String bytes(final DirectBuffer buffer, final int offset, final int length)
    {
        if (buffer == null || buffer.byteArray() == null && buffer.byteBuffer() == null)
        {
            return "has its routed-expert rows neither in an array nor in a ByteBuffer";
        }
        if (offset < 0 || offset > buffer.capacity() - length)
        {
            return "has " + length + " bytes of routed-expert rows, but its slice begins at byte " + offset +
                " of " + buffer.capacity();
        }
        return null;
    }
}
