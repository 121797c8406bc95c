// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.ConfigException;
import io.signalbox.files.FileFault;
import io.signalbox.files.RealPath;
import io.signalbox.journal.segment.Chain;
import io.signalbox.journal.segment.Envelope;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret of journals without tokens: equal block hashes have equal keyed hashes, and nobody who lacks the key can
 * compute one from a guessed prompt. Keyed hashes are HMAC-SHA256, cut to 63 bits. One thread at a time.
 */
public final class TokenKey
{
    public static final int LEAST_BYTES = 32;
    private static final int MOST_BYTES = 4096;
    private static final String PSEUDONYM_START = "name-";
    private static final byte[] PSEUDONYM = "signalbox pseudonym ".getBytes(StandardCharsets.US_ASCII);
    /** Makes a key. */
    public static final String COMMAND = "(umask 077; head -c 32 /dev/urandom > FILE)";
    private static final String REMEDY = "; make one with: " + COMMAND + ", and keep it outside the journal.";
    private static final Set<PosixFilePermission> OTHERS = EnumSet.of(PosixFilePermission.GROUP_READ,
        PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE);

    private final Mac mac;
    private final String named;
    private final Path place;
    private final String id;
    private final byte[] block = new byte[Long.BYTES];
    private final byte[] result;

    private TokenKey(final String named, final Path place, final byte[] secret)
    {
        this.named = named;
        this.place = place;
        try
        {
            mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
        }
        catch (final GeneralSecurityException e)
        {
            throw new IllegalStateException("this Java has no HMAC-SHA256", e);
        }
        result = new byte[mac.getMacLength()];
        id = Chain.text(Envelope.int64(mac.doFinal("signalbox token key".getBytes(StandardCharsets.US_ASCII)), 0));
    }

    /**
     * Reads a key.
     *
     * @param option names the file in refusals.
     * @throws ConfigException if the file cannot be read, is too short or long, or not only its owner may read or write it.
     */
    public static TokenKey read(final String option, final Path file)
    {
        final String named = option + "=" + file;
        try
        {
            if (!Files.isRegularFile(file))
            {
                throw new ConfigException(named + " is no file with a key" + REMEDY);
            }
            requirePrivate(named, file);
            final long length = Files.size(file);
            if (length < LEAST_BYTES || length > MOST_BYTES)
            {
                throw new ConfigException(named + " has " + length + " bytes, and a key has " + LEAST_BYTES + " to " +
                    MOST_BYTES + REMEDY);
            }
            final byte[] secret = Files.readAllBytes(file);
            final TokenKey key = new TokenKey(named, file.toRealPath(), secret);
            Arrays.fill(secret, (byte)0);
            return key;
        }
        catch (final IOException e)
        {
            throw new ConfigException(named + " cannot be read (" + FileFault.reason(e) + ")" + REMEDY);
        }
    }

    private static void requirePrivate(final String named, final Path file) throws IOException
    {
        if (Files.getFileStore(file).supportsFileAttributeView("posix"))
        {
            final Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
            permissions.addAll(Files.getPosixFilePermissions(file));
            permissions.retainAll(OTHERS);
            if (!permissions.isEmpty())
            {
                throw new ConfigException(named + " can be read or written by others than its owner, so it is no " +
                    "secret; make a new key that only its owner can read, with mode 0600.");
            }
        }
    }

    /**
     * A copy of a journal must not have its key in it.
     *
     * @throws ConfigException if the file of the key is in this directory, symbolic links followed.
     */
    public void requireOutside(final Path journal)
    {
        if (place.startsWith(RealPath.of(journal)))
        {
            throw new ConfigException(named + " is in the journal's directory " + journal +
                ", so a copy of the journal has its key; keep the key elsewhere.");
        }
    }

    /** Names the key without revealing it: 16 hexadecimal digits. */
    public String id()
    {
        return id;
    }

    /** A word that replaces a name: equal for equal names, and not computable without the key. */
    String pseudonym(final byte[] name)
    {
        // A block hash has 8 bytes: the prefix keeps the two kinds of input apart.
        mac.update(PSEUDONYM);
        return PSEUDONYM_START + Chain.text(Envelope.int64(mac.doFinal(name), 0));
    }

    /** The keyed hash of a block hash; positive. */
    long hash(final long blockHash)
    {
        Envelope.putInt64(block, 0, blockHash);
        mac.update(block);
        try
        {
            mac.doFinal(result, 0);
        }
        catch (final GeneralSecurityException e)
        {
            throw new IllegalStateException("the array of a keyed hash is too short", e);
        }
        final long keyed = Envelope.int64(result, 0) & Long.MAX_VALUE;
        return keyed == 0 ? 1 : keyed;
    }

    @Override
    public String toString()
    {
        return "key " + id;
    }
}
