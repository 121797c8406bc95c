// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.kv.hash.BlockHashFunction;
import io.signalbox.kv.hash.BlockHasher;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.TimeUnit;

/**
 * Hashes a prompt of 32,768 tokens in 16-token blocks, beside the ceiling of each function in the same run: the raw
 * digest over messages of the same length, and one pass over the same tokens. An operation is one token.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(3)
public class BlockHashBenchmark
{
    private static final int TOKENS = 32_768;
    private static final int BLOCK_SIZE_TOKENS = 16;
    private static final int BLOCKS = TOKENS / BLOCK_SIZE_TOKENS;
    private static final int DIGEST_BYTES = 32;
    private static final byte[] NO_KEY = new byte[0];

    private final int[] tokens = new int[TOKENS];
    private final long[] hashes = new long[BLOCKS];
    private final byte[] message = new byte[DIGEST_BYTES + BLOCK_SIZE_TOKENS * Long.BYTES];
    private final byte[] digest = new byte[DIGEST_BYTES];
    private final BlockHasher sha256Hasher = BlockHasher.of(BlockHashFunction.SHA_256, BLOCK_SIZE_TOKENS);
    private final BlockHasher xxh3Hasher = BlockHasher.of(BlockHashFunction.XXH3_128, BLOCK_SIZE_TOKENS);
    private MessageDigest sha256;

    @Setup
    public void setUp() throws NoSuchAlgorithmException
    {
        sha256 = MessageDigest.getInstance("SHA-256");
        for (int i = 0; i < TOKENS; i++)
        {
            tokens[i] = i * 7919 % 128_000;
        }
        for (int i = 0; i < message.length; i++)
        {
            message[i] = (byte)i;
        }
    }

    @Benchmark
    @OperationsPerInvocation(TOKENS)
    public long[] sha256()
    {
        sha256Hasher.hash(tokens, TOKENS, NO_KEY, hashes);
        return hashes;
    }

    @Benchmark
    @OperationsPerInvocation(TOKENS)
    public byte[] sha256Ceiling() throws DigestException
    {
        for (int block = 0; block < BLOCKS; block++)
        {
            sha256.update(message);
            sha256.digest(digest, 0, DIGEST_BYTES);
        }
        return digest;
    }

    @Benchmark
    @OperationsPerInvocation(TOKENS)
    public long[] xxh3()
    {
        xxh3Hasher.hash(tokens, TOKENS, NO_KEY, hashes);
        return hashes;
    }

    @Benchmark
    @OperationsPerInvocation(TOKENS)
    public long xxh3Ceiling()
    {
        long sum = 0;
        for (final int token : tokens)
        {
            sum += token;
        }
        return sum;
    }
}
