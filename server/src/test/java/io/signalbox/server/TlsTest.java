// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.ConfigException;
import io.signalbox.server.text.SimulatedText;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Encrypted connections. */
@Tag("threads")
class TlsTest
{
    private static final char[] PASSWORD = "password".toCharArray();
    private static final String REQUEST = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

    @TempDir
    private static Path directory;
    private static Path certificate;
    private static Path key;
    private static SSLContext client;

    @BeforeAll
    static void makeCertificate() throws Exception
    {
        final KeyStore keys = pair("store.p12", "EC");
        certificate = pem("certificate.pem", "CERTIFICATE", keys.getCertificate("a").getEncoded());
        key = pem("key.pem", "PRIVATE KEY", keys.getKey("a", PASSWORD).getEncoded());
        final KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("a", keys.getCertificate("a"));
        final TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        client = SSLContext.getInstance("TLS");
        client.init(null, trust.getTrustManagers(), null);
    }

    /** A new key with its certificate. */
    private static KeyStore pair(final String file, final String algorithm) throws Exception
    {
        final Path store = directory.resolve(file);
        final Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair", "-keystore", store.toString(), "-storepass", new String(PASSWORD), "-storetype", "PKCS12",
            "-keyalg", algorithm, "-dname", "CN=localhost", "-ext", "san=ip:127.0.0.1", "-alias", "a")
            .redirectErrorStream(true).start();
        keytool.getInputStream().readAllBytes();
        assertEquals(0, keytool.waitFor());
        return KeyStore.getInstance(store.toFile(), PASSWORD);
    }

    private static Path pem(final String name, final String kind, final byte[] content) throws IOException
    {
        return Files.writeString(directory.resolve(name), "-----BEGIN " + kind + "-----\n" +
            Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content) + "\n-----END " + kind + "-----\n");
    }

    private static SSLSocket connect(final RunningServer server, final String protocol) throws IOException
    {
        final SSLSocket socket = (SSLSocket)client.getSocketFactory().createSocket("127.0.0.1", server.uri("/").getPort());
        socket.setSoTimeout(30_000);
        socket.setEnabledProtocols(new String[] {protocol});
        return socket;
    }

    private static String ask(final RunningServer server, final String protocol, final String request) throws IOException
    {
        try (SSLSocket socket = connect(server, protocol); OutputStream out = socket.getOutputStream();
            InputStream in = socket.getInputStream())
        {
            out.write(request.getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void shouldSpeakTls12AndNewerAlone() throws Exception
    {
        try (RunningServer server = new RunningServer(1000, config -> config.tls(certificate, key)))
        {
            assertTrue(server.server().address().toString().startsWith("https://127.0.0.1:"));
            for (final String protocol : List.of("TLSv1.2", "TLSv1.3"))
            {
                assertTrue(ask(server, protocol, REQUEST).startsWith("HTTP/1.1 200 "), protocol);
                final String answer = ask(server, protocol, RawClient.post(
                    "/v1/completions", "{'prompt': 'a', 'max_tokens': 3, 'stream': true}", "Connection: close\r\n"));
                assertTrue(answer.contains("data: [DONE]"), answer);
            }
            assertThrows(SSLException.class, () -> ask(server, "TLSv1.1", REQUEST));
            final String plain = RawClient.ask(server.uri("/"), REQUEST);
            assertTrue(!plain.contains(" 200 "), plain);
        }
    }

    /** A client that leaves is noticed through TLS too, and a handshake that does not come ends. */
    @Test
    void shouldKeepItsPromisesThroughTls() throws Exception
    {
        try (RunningServer server = new RunningServer(1, config -> config.tls(certificate, key).requestMillis(1_000)))
        {
            try (SSLSocket socket = connect(server, "TLSv1.3"))
            {
                socket.getOutputStream().write(RawClient.post("/v1/completions", "{'prompt': 'a', 'max_tokens': 4000}")
                    .getBytes(StandardCharsets.ISO_8859_1));
                server.await(() -> server.engine().stats().requests().running() == 1);
            }
            server.await(() -> server.engine().stats().requests().running() == 0);
            try (Socket slow = RawClient.open(server.uri("/")))
            {
                slow.getOutputStream().write(0x16);
                assertTrue(slow.getInputStream().readAllBytes().length < 100, "the server closes the connection");
            }
        }
    }

    @Test
    void shouldNameTheFileThatItCannotUse() throws Exception
    {
        final Path other = Files.writeString(directory.resolve("other.pem"), "nothing");
        assertRefused(other, key, "--tls-certificate");
        assertRefused(certificate, other, "--tls-key");
        assertRefused(directory.resolve("absent"), key, "cannot be read");
        assertRefused(certificate, directory, "cannot be read");
    }

    /** Java's key store takes any key with any certificate, and then no client could connect. */
    @Test
    void shouldRefuseTheKeyOfAnotherCertificate() throws Exception
    {
        for (final String algorithm : List.of("EC", "RSA", "Ed25519"))
        {
            final KeyStore other = pair(algorithm + ".p12", algorithm);
            final Path foreign = pem("foreign.pem", "PRIVATE KEY", other.getKey("a", PASSWORD).getEncoded());
            assertRefused(certificate, foreign, "--tls-");
            final Path own = pem("own.pem", "CERTIFICATE", other.getCertificate("a").getEncoded());
            config(own, foreign).check();
        }
        final Path broken = Files.writeString(directory.resolve("broken.pem"),
            "-----BEGIN PRIVATE KEY-----\nA\n-----END PRIVATE KEY-----\n");
        assertRefused(certificate, broken, "--tls-key");
    }

    private static ServerConfig config(final Path certificates, final Path keys)
    {
        return new ServerConfig(new ServedModel(List.of("model"), 16, 1, new SimulatedText())).port(0)
            .tls(certificates, keys);
    }

    private static void assertRefused(final Path certificates, final Path keys, final String word)
    {
        final String message = assertThrows(ConfigException.class, config(certificates, keys)::check).getMessage();
        assertTrue(message.contains(word), message);
    }
}
