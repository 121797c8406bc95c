// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.StepFault;
import io.signalbox.backend.StepTokens;
import io.signalbox.experts.ModelShape;
import org.agrona.MutableDirectBuffer;

import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Chooses the faults of one run by its plan, counts them, and sends the reports that they spoil. */
final class FaultInjector
{
    private static final String NO_TEXT = "injected by the fault plan";

    private final FaultPlan plan;
    private final long runSeed;
    private final ModelShape capture;
    private final CompletionSink completions;
    private final Map<String, Long> injected = new TreeMap<>();
    private final Set<Fault> reached = new HashSet<>();

    /** @param capture null if capture is off. */
    FaultInjector(final FaultPlan plan, final long runSeed, final ModelShape capture, final CompletionSink completions)
    {
        this.plan = plan;
        this.runSeed = runSeed;
        this.capture = capture;
        this.completions = completions;
    }

    /** The fault of a step, or null; it is not injected yet. */
    Fault of(final int rank, final SimulatedStep step)
    {
        final Fault fault = plan.of(runSeed, rank, step.number, capture);
        final boolean applies = fault == null || fault.corruption() == null ||
            fault.corruption().applies(step.results.tokenCount(), step.lastKeptRow() + 1);
        return applies ? fault : null;
    }

    void count(final Fault fault)
    {
        injected.merge(fault.label(), 1L, Long::sum);
        reached.add(fault);
    }

    /** Injected faults by label; no zeros. */
    Map<String, Long> injected()
    {
        return injected;
    }

    /** Listed faults that befell no step. */
    long notReached()
    {
        return plan.listed().stream().filter(fault -> !reached.contains(fault)).count();
    }

    /** Sends a report that is no completion, or an impossible one. */
    void send(
        final long timeNanos, final int rank, final SimulatedStep step, final Fault fault, final CaptureSlice rows)
    {
        switch (fault.kind())
        {
            case FAILED -> fault(timeNanos, rank, step, StepFault.STEP_FAILED,
                fault.detail().isEmpty() ? NO_TEXT : fault.detail(), rows);
            case LOST -> fault(timeNanos, rank, step, StepFault.RANK_LOST, "the rank was lost: " + NO_TEXT, rows);
            default -> sendCorrupt(timeNanos, rank, step, fault.corruption(), rows);
        }
    }

    private void fault(
        final long timeNanos,
        final int rank,
        final SimulatedStep step,
        final StepFault faultClass,
        final String detail,
        final CaptureSlice rows)
    {
        if (rows != null)
        {
            rows.release();
        }
        completions.fault(timeNanos, step.epoch, rank, step.number, faultClass, detail);
    }

    private void sendCorrupt(
        final long timeNanos,
        final int stepRank,
        final SimulatedStep sound,
        final Corruption corruption,
        final CaptureSlice rows)
    {
        StepTokens tokens = sound.results;
        int epoch = sound.epoch;
        int rank = stepRank;
        long step = sound.number;
        CaptureSlice sent = rows;
        switch (corruption)
        {
            case EXPERT_RANGE -> putId(rows, rowAt(rows, sound), capture.experts());
            case EXPERT_REPEATED -> repeatId(rows, rowAt(rows, sound));
            case WEIGHT_NOT_FINITE -> putLastWeight(rows, rowAt(rows, sound), Float.POSITIVE_INFINITY);
            case ROW_COUNT -> sent = SpoiltSlice.withoutLastRow(rows);
            case ROW_BYTES -> sent = SpoiltSlice.withoutLastByte(rows);
            case TOKEN_NEGATIVE -> tokens = withLastToken(tokens, -1);
            case TOKEN_RANGE -> tokens = withLastToken(tokens, Integer.MAX_VALUE);
            case TOKEN_COUNT -> tokens = withoutLastEntry(tokens);
            case WRONG_STEP -> tokens = named(tokens, epoch, ++step);
            case WRONG_RANK -> rank++;
            case WRONG_EPOCH -> tokens = named(tokens, ++epoch, step);
            default -> throw new IllegalStateException(corruption.name());
        }
        try
        {
            completions.d2hComplete(timeNanos, epoch, rank, step, tokens, sent);
        }
        catch (final IllegalArgumentException e)
        {
            if (rank == stepRank)
            {
                throw e;
            }
            // The engine refuses a rank that does not exist: the step stays without a report.
        }
    }

    private static StepTokens withLastToken(final StepTokens tokens, final int last)
    {
        return copy(tokens, tokens.entryCount(), last);
    }

    private static StepTokens withoutLastEntry(final StepTokens tokens)
    {
        return copy(tokens, tokens.entryCount() - 1, tokens.tokenCount() == 0 ? 0 : tokens.token(tokens.tokenCount() - 1));
    }

    private static StepTokens named(final StepTokens tokens, final int epoch, final long step)
    {
        final int last = tokens.tokenCount() == 0 ? 0 : tokens.token(tokens.tokenCount() - 1);
        return copy(new StepTokens().begin(epoch, tokens.rank(), step), tokens, tokens.entryCount(), last);
    }

    private static StepTokens copy(final StepTokens tokens, final int entries, final int last)
    {
        return copy(new StepTokens().begin(tokens.epoch(), tokens.rank(), tokens.step()), tokens, entries, last);
    }

    private static StepTokens copy(
        final StepTokens copy, final StepTokens tokens, final int entries, final int last)
    {
        int token = 0;
        for (int entry = 0; entry < entries; entry++)
        {
            copy.entry(tokens.start(entry));
            for (int left = tokens.accepted(entry); left > 0; left--, token++)
            {
                copy.accept(token == tokens.tokenCount() - 1 ? last : tokens.token(token));
            }
        }
        return copy;
    }

    /** Writes the first expert id of a row; the slice is the backend's, and is written anew when it is used again. */
    private void putId(final CaptureSlice rows, final int at, final int id)
    {
        final MutableDirectBuffer buffer = (MutableDirectBuffer)rows.buffer();
        switch (capture.idBytes())
        {
            case Byte.BYTES -> buffer.putByte(at, (byte)id);
            case Short.BYTES -> buffer.putShort(at, (short)id, ByteOrder.LITTLE_ENDIAN);
            default -> buffer.putInt(at, id, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private void putLastWeight(final CaptureSlice rows, final int at, final float weight)
    {
        final MutableDirectBuffer buffer = (MutableDirectBuffer)rows.buffer();
        buffer.putFloat(at + capture.rowBytes() - ModelShape.WEIGHT_BYTES, weight, ByteOrder.LITTLE_ENDIAN);
    }

    private void repeatId(final CaptureSlice rows, final int at)
    {
        final MutableDirectBuffer buffer = (MutableDirectBuffer)rows.buffer();
        buffer.putBytes(at + capture.idBytes(), buffer, at, capture.idBytes());
    }

    /** Byte of the last row that counts: an impossible row of a rejected draft token would show nothing. */
    private static int rowAt(final CaptureSlice rows, final SimulatedStep step)
    {
        return rows.offset() + step.lastKeptRow() * rows.rowBytes();
    }
}
