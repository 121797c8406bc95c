// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.ConfigException;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;

/**
 * Keys that clients send. Only their hashes are kept, so a key is in no text of this object, and the comparison takes as
 * long for a wrong key as for the right one.
 */
public final class AccessKeys
{
    /** No key: nobody has access. */
    public static final AccessKeys NONE = new AccessKeys(List.of());

    private static final int MIN_LENGTH = 16;
    private static final int MAX_LENGTH = 512;

    private final List<byte[]> hashes;

    private AccessKeys(final List<byte[]> hashes)
    {
        this.hashes = hashes;
    }

    /**
     * Keys, one per line; empty lines and lines that begin with # do not count.
     *
     * @param source of the text, for refusals: a file or a variable, never the text.
     * @throws ConfigException if a key is too short or has a character that a header cannot carry.
     */
    public static AccessKeys of(final String source, final String text)
    {
        final List<byte[]> hashes = new ArrayList<>();
        int number = 0;
        for (final String line : text.lines().map(String::strip).toList())
        {
            number++;
            if (line.isEmpty() || line.startsWith("#"))
            {
                continue;
            }
            if (line.length() < MIN_LENGTH || line.length() > MAX_LENGTH || !line.matches("[!-~]+"))
            {
                throw new ConfigException("the key in line " + number + " of " + source + " is not made of " + MIN_LENGTH +
                    " to " + MAX_LENGTH + " printable characters without spaces; make one with: openssl rand -hex 32.");
            }
            hashes.add(hash(line));
        }
        if (hashes.isEmpty())
        {
            throw new ConfigException(source + " has no key; write one into it, made with: openssl rand -hex 32.");
        }
        return new AccessKeys(hashes);
    }

    private static byte[] hash(final String key)
    {
        try
        {
            return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
        }
        catch (final NoSuchAlgorithmException e)
        {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    boolean isEmpty()
    {
        return hashes.isEmpty();
    }

    /** @param key {@code null}: none was sent. */
    boolean admit(final String key)
    {
        final byte[] sent = hash(key == null ? "" : key);
        boolean admitted = false;
        for (final byte[] known : hashes)
        {
            admitted |= MessageDigest.isEqual(known, sent);
        }
        return admitted && key != null;
    }

    @Override
    public String toString()
    {
        return hashes.size() + " keys";
    }
}
