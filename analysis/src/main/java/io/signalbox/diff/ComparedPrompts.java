// SPDX-License-Identifier: Apache-2.0
package io.signalbox.diff;

import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.journal.JournalReader;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunListener;

/**
 * The part of prompts that two journals have in the same form; lengths in any case.
 *
 * @param withHashes      whether block hashes of both name the same blocks.
 * @param withTails       whether both have the tokens behind the last whole block; without hashes, whether both have all.
 * @param ofTrace         whether one run is from a trace of requests, whose answers have other block hashes.
 * @param blockSizeTokens of both, if hashes name the same blocks.
 */
record ComparedPrompts(boolean withHashes, boolean withTails, boolean ofTrace, int blockSizeTokens)
{
    /** Groups of each journal that are searched for a prompt with tokens. */
    private static final int MOST_GROUPS = 10_000;
    private static final int WHOLE_PROMPT = Integer.MAX_VALUE;

    /** The journals from their beginnings; both readers are read on. */
    static ComparedPrompts of(final JournalReader left, final JournalReader right)
    {
        final int blockSize = SideBySide.blockSizeTokens(left);
        final boolean sameBlocks = blockSize == SideBySide.blockSizeTokens(right) &&
            left.hashesAs(right);
        // Blocks of different sizes have nothing in common; tokens have.
        final int tailsOf = sameBlocks ? blockSize : WHOLE_PROMPT;
        final boolean withTails = Tails.of(left, tailsOf) && Tails.of(right, tailsOf);
        return new ComparedPrompts(sameBlocks, withTails, isOfTrace(left) || isOfTrace(right), blockSize);
    }

    private static boolean isOfTrace(final JournalReader journal)
    {
        return "requests".equals(journal.settings().get("workload.kind"));
    }

    /** Tokens at the end of a prompt that count beside its hashes. */
    int tailTokens(final int promptTokens)
    {
        return !withTails ? 0 : withHashes ? promptTokens % blockSizeTokens : promptTokens;
    }

    /** Only the lengths. */
    ComparedPrompts lengths()
    {
        return new ComparedPrompts(false, false, ofTrace, blockSizeTokens);
    }

    /** Looks for tokens behind the last whole block of a prompt. */
    private static final class Tails implements RunListener
    {
        private final int blockSizeTokens;
        private boolean known;
        private boolean found;

        private Tails(final int blockSizeTokens)
        {
            this.blockSizeTokens = blockSizeTokens;
        }

        private static boolean of(final JournalReader reader, final int blockSizeTokens)
        {
            final Tails tails = new Tails(blockSizeTokens);
            final RunFold fold = RunFold.within(tails);
            for (int i = 0; i < MOST_GROUPS && !tails.known && reader.next(); i++)
            {
                fold.onGroup(reader.group(), 0, reader.groupLength());
            }
            return tails.found;
        }

        @Override
        public void onSubmit(final SubmitDecoder submit)
        {
            if (!known && submit.promptTokens() % blockSizeTokens > 0)
            {
                submit.skipBlockHashes();
                submit.skipCacheKey();
                final int tokens = submit.skipTokens() / Integer.BYTES;
                found = blockSizeTokens == WHOLE_PROMPT ? tokens == submit.promptTokens() : tokens > 0;
                known = true;
            }
        }
    }
}
