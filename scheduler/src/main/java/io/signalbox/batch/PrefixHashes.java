// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;
import io.signalbox.kv.hash.BlockHasher;
import io.signalbox.saved.SavedFields;

import java.util.Arrays;

/**
 * The hashes of a request's full blocks: those of its prompt, which its client made, and those that decoding fills. If the
 * client gave the chain behind the prompt's full blocks, the known tokens behind the hashes are kept, and {@link #complete}
 * hashes them block by block. A token costs one store, a full block one hash.
 */
public final class PrefixHashes
{
    private long[] hashes = new long[16];
    private int count;
    private int promptBlocks;
    private long digest;
    private boolean continues;
    private byte[] chain = new byte[0];
    private int[] open = new int[0];
    private int openCount;
    private boolean withheld;
    private long[] given = new long[4];
    private int givenCount;

    void clear()
    {
        withheld = false;
        givenCount = 0;
        count = 0;
        promptBlocks = 0;
        digest = 0;
        continues = false;
        openCount = 0;
    }

    /** Appends the hash of a full block of the prompt. */
    public void addPromptBlock(final long hash)
    {
        add(hash);
        promptBlocks = count;
    }

    private void add(final long hash)
    {
        if (count == hashes.length)
        {
            hashes = Arrays.copyOf(hashes, 2 * count);
        }
        hashes[count++] = hash;
        digest = StateDigest.mix(digest, hash);
    }

    /**
     * The blocks behind the prompt's full ones are hashed, too. Then come the tokens of the prompt behind its last full
     * block.
     *
     * @param chainBytes length of the chain behind that block.
     * @return receives the chain.
     */
    public byte[] continueFrom(final int chainBytes)
    {
        continues = true;
        if (chain.length != chainBytes)
        {
            chain = new byte[chainBytes];
        }
        return chain;
    }

    /** The tokens are withheld: the hashes of blocks that decoding fills come from {@link #give}. */
    public void continueWithheld(final int tokensBehindLastBlock)
    {
        continues = true;
        withheld = true;
        openCount = tokensBehindLastBlock;
    }

    /** Hash of the next block that decoding fills; without effect unless tokens are withheld. */
    public void give(final long hash)
    {
        if (withheld)
        {
            if (givenCount == given.length)
            {
                given = Arrays.copyOf(given, 2 * givenCount);
            }
            given[givenCount++] = hash;
        }
    }

    private long takeGiven()
    {
        if (givenCount == 0)
        {
            throw new InvariantViolation(
                "block " + count + " is full, but its tokens are withheld and its hash is not given");
        }
        final long hash = given[0];
        System.arraycopy(given, 1, given, 0, --givenCount);
        return hash;
    }

    /** A token behind those that are known. */
    public void addToken(final int token)
    {
        if (!continues)
        {
            return;
        }
        if (withheld)
        {
            openCount++;
            return;
        }
        if (openCount == open.length)
        {
            open = Arrays.copyOf(open, Math.max(16, 2 * openCount));
        }
        open[openCount++] = token;
    }

    /** The same for several tokens, from {@code first} on in the array. */
    void addTokens(final int[] tokens, final int first, final int tokenCount)
    {
        for (int i = first; continues && i < first + tokenCount; i++)
        {
            addToken(tokens[i]);
        }
    }

    /** Hashes the blocks that end at or before a position; every token before it must be known. */
    void complete(final int end, final BlockSize blockSize, final BlockHasher hasher)
    {
        final int blockSizeTokens = blockSize.tokens();
        while (continues && (count + 1L) * blockSizeTokens <= end)
        {
            if (openCount < blockSizeTokens)
            {
                throw new InvariantViolation(
                    "block " + count + " is to be hashed, but only " + openCount + " of its tokens are known");
            }
            openCount -= blockSizeTokens;
            if (withheld)
            {
                add(takeGiven());
                continue;
            }
            add(hasher.extend(chain, open));
            System.arraycopy(open, blockSizeTokens, open, 0, openCount);
        }
    }

    /** Whether the position is behind every block that has a hash. */
    boolean endsBefore(final int position, final BlockSize blockSize)
    {
        return count * blockSize.tokens() <= position;
    }

    /** The position that completes the first block without a hash, if its hash is computed then. */
    int endOfOpenBlock(final BlockSize blockSize)
    {
        return continues ? (count + 1) * blockSize.tokens() - 1 : Integer.MAX_VALUE;
    }

    /** Number of the blocks that have a hash. */
    public int count()
    {
        return count;
    }

    public long get(final int index)
    {
        return hashes[index];
    }

    /** Whether decoding put a token into the block. */
    boolean isGenerated(final int index)
    {
        return index >= promptBlocks;
    }

    /** The hashes, followed by unused entries; callers must not change them. */
    public long[] values()
    {
        return hashes;
    }

    void save(final SavedFields fields)
    {
        count = fields.count(count);
        hashes = fields.numbers(hashes, count);
        promptBlocks = fields.int32(promptBlocks);
        digest = fields.number(digest);
        continues = fields.flag(continues);
        withheld = fields.flag(withheld);
        final int chainBytes = fields.count(continues && !withheld ? chain.length : 0);
        chain = chain.length == chainBytes || !fields.isReading() ? chain : new byte[chainBytes];
        fields.bytes(chain, 0, chainBytes);
        openCount = withheld ? fields.int32(openCount) : fields.count(openCount);
        open = withheld ? open : fields.int32s(open, openCount);
        givenCount = fields.count(givenCount);
        given = fields.numbers(given, givenCount);
    }

    long digest()
    {
        long all = continues ? StateDigest.mix(digest, openCount) : digest;
        for (int i = 0; i < (withheld ? 0 : openCount); i++)
        {
            all = StateDigest.mix(all, open[i]);
        }
        for (int i = 0; i < givenCount; i++)
        {
            all = StateDigest.mix(all, given[i]);
        }
        return all;
    }
}
