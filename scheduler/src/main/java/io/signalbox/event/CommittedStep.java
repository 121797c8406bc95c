// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

/** The result of a step as {@link CommitWriter} reads it. Indexes count from 0. Its arrays are not to be changed. */
public interface CommittedStep
{
    /** {@link CommitWords} of the entries, each of which begins after {@link #entryStride} words. */
    long[] entryWords();

    int entryStride();

    /** Tokens that became visible, of all entries. */
    int tokenCount();

    /** The tokens that became visible, followed by unused elements. */
    int[] tokens();

    int missingRows();

    int impossibleRows();

    int spanCount();

    /** {@link CommitWords} of the spans, {@link CommitWords#SPAN_WORDS} each. */
    long[] spanWords();

    int registeredCount();

    int registeredBlock(int index);

    int registeredIssue(int index);

    long registeredHash(int index);

    /** Whether decoding put a token into the block. */
    boolean isRegisteredGenerated(int index);

    /** As many as tokens, or 0 if the backend reported none. */
    int logprobCount();

    /** Log-probability of a visible token, as the bits of a float. */
    int logprobBits(int index);
}
