// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

import io.signalbox.ConfigException;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The certificate and the private key of a server, as PEM files.
 *
 * @param certificate its certificate first, then those that signed it.
 * @param key         in the form of PKCS #8, without a password.
 */
public record TlsFiles(Path certificate, Path key)
{
    private static final int MOST_BYTES = 1 << 20;
    private static final Pattern KEY =
        Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA");

    /** @throws ConfigException as {@link #keyStore} does. */
    public void check()
    {
        keyStore(new char[0]);
    }

    /**
     * Reads both files.
     *
     * @throws ConfigException if a file cannot be read or has no certificate or no key; it does not tell the content.
     */
    KeyStore keyStore(final char[] password)
    {
        final Certificate[] chain = chain();
        try
        {
            final KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            final PrivateKey own = privateKey();
            requirePair(own, chain[0]);
            store.setKeyEntry("server", own, password, chain);
            return store;
        }
        catch (final GeneralSecurityException | IOException e)
        {
            throw new ConfigException("--tls-key=" + key + " and --tls-certificate=" + certificate +
                " cannot be used together; give the key of the first certificate.");
        }
    }

    /** The key store takes any key with any certificate, and then each handshake fails. */
    private static void requirePair(final PrivateKey key, final Certificate certificate) throws GeneralSecurityException
    {
        final Signature signature = Signature.getInstance(switch (key.getAlgorithm())
        {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> key.getAlgorithm();
        });
        signature.initSign(key);
        signature.update((byte)1);
        final byte[] signed = signature.sign();
        signature.initVerify(certificate.getPublicKey());
        signature.update((byte)1);
        if (!signature.verify(signed))
        {
            throw new InvalidKeyException("the key is not that of the certificate");
        }
    }

    private Certificate[] chain()
    {
        try (InputStream in = new ByteArrayInputStream(read("--tls-certificate", certificate)))
        {
            final Certificate[] chain =
                CertificateFactory.getInstance("X.509").generateCertificates(in).toArray(Certificate[]::new);
            if (chain.length > 0)
            {
                return chain;
            }
        }
        catch (final GeneralSecurityException | IOException e)
        {
            throw noCertificate();
        }
        throw noCertificate();
    }

    private ConfigException noCertificate()
    {
        return new ConfigException("--tls-certificate=" + certificate +
            " is not a file of certificates; give a PEM file with the server's certificate first.");
    }

    private PrivateKey privateKey() throws GeneralSecurityException
    {
        final Matcher found =
            KEY.matcher(new String(read("--tls-key", key), StandardCharsets.ISO_8859_1));
        if (found.find())
        {
            for (final String algorithm : ALGORITHMS)
            {
                try
                {
                    return KeyFactory.getInstance(algorithm).generatePrivate(
                        new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(found.group(1))));
                }
                catch (final InvalidKeySpecException | IllegalArgumentException e)
                {
                    continue;
                }
            }
        }
        throw new ConfigException("--tls-key=" + key + " has no private key in the form of PKCS #8; give a PEM file that " +
            "begins with BEGIN PRIVATE KEY: openssl pkcs8 -topk8 -nocrypt makes one.");
    }

    private static byte[] read(final String option, final Path file)
    {
        try (InputStream in = Files.newInputStream(file))
        {
            final byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length <= MOST_BYTES)
            {
                return bytes;
            }
            throw new ConfigException(option + "=" + file + " has more than " + MOST_BYTES + " bytes; give a PEM file.");
        }
        catch (final IOException e)
        {
            throw new ConfigException(option + "=" + file + " cannot be read; give a PEM file.");
        }
    }
}
