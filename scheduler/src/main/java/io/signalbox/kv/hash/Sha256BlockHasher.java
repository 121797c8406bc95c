// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv.hash;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/** The chain of {@link BlockHashFunction#SHA_256}. */
final class Sha256BlockHasher extends BlockHasher
{
    private static final int DIGEST_BYTES = 32;
    private static final byte[] KEY_TAG = new byte[DIGEST_BYTES];
    private static final VarHandle INT64 = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    static
    {
        Arrays.fill(KEY_TAG, (byte)0xFF);
    }

    private final MessageDigest sha256;
    /** The chain so far, followed by the tokens of one block: one message, digested in place. */
    private final byte[] message;
    private final LongBuffer messageTokens;
    /** The tokens of one block: one bulk copy takes fewer instructions than so many checked stores. */
    private final long[] widened;

    Sha256BlockHasher(final int blockSizeTokens)
    {
        super(blockSizeTokens);
        message = new byte[DIGEST_BYTES + blockSizeTokens * Long.BYTES];
        messageTokens =
            ByteBuffer.wrap(message).position(DIGEST_BYTES).slice().order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
        widened = new long[blockSizeTokens];
        try
        {
            sha256 = MessageDigest.getInstance("SHA-256");
        }
        catch (final NoSuchAlgorithmException e)
        {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    @Override
    void hashBlocks(final int[] tokens, final int blocks, final byte[] cacheKey, final long[] hashes)
    {
        startChain(cacheKey);
        for (int block = 0; block < blocks; block++)
        {
            widen(tokens, block * blockSizeTokens);
            digest(message);
            hashes[block] = positive((long)INT64.get(message, 0));
        }
    }

    @Override
    public int chainBytes()
    {
        return DIGEST_BYTES;
    }

    @Override
    public void chain(final byte[] chain)
    {
        System.arraycopy(message, 0, chain, 0, DIGEST_BYTES);
    }

    @Override
    public long extend(final byte[] chain, final int[] tokens)
    {
        System.arraycopy(chain, 0, message, 0, DIGEST_BYTES);
        widen(tokens, 0);
        digest(message);
        chain(chain);
        return positive((long)INT64.get(message, 0));
    }

    private void startChain(final byte[] cacheKey)
    {
        if (cacheKey.length == 0)
        {
            Arrays.fill(message, 0, DIGEST_BYTES, (byte)0);
        }
        else
        {
            // No chain begins with these bytes, so no key reads as the message of a block under another key.
            sha256.update(KEY_TAG);
            digest(cacheKey);
        }
    }

    private void widen(final int[] tokens, final int from)
    {
        for (int i = 0; i < blockSizeTokens; i++)
        {
            widened[i] = tokens[from + i];
        }
        messageTokens.put(0, widened);
    }

    private void digest(final byte[] bytes)
    {
        try
        {
            sha256.update(bytes);
            sha256.digest(message, 0, DIGEST_BYTES);
        }
        catch (final DigestException e)
        {
            throw new IllegalStateException("32 bytes hold a SHA-256 digest", e);
        }
    }
}
