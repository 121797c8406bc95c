// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.workload.SplitMix64;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** The key of a token is a function of its request and position, whatever was asked before. */
class RowKeysTest
{
    private static final int BLOCK = 16;

    /** Names the blocks of prompts by conversation and the blocks of answers by request, except each third block. */
    private static final class NamedBlocks implements Workload
    {
        private final List<WorkloadRequest> requests;
        private int namings;

        private NamedBlocks(final List<WorkloadRequest> requests)
        {
            this.requests = requests;
        }

        @Override
        public List<WorkloadRequest> requests()
        {
            return requests;
        }

        private static long promptName(final WorkloadRequest request, final int block)
        {
            return SplitMix64.mix(request.conversationId(), block) >>> 1;
        }

        private static long answerName(final WorkloadRequest request, final int block)
        {
            return block % 3 == 2 ? 0 : SplitMix64.mix(-request.requestId(), block) >>> 1;
        }

        @Override
        public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
        {
            namings++;
            final int blocks = request.promptTokens() / blockSizeTokens;
            Arrays.setAll(target, block -> block < blocks ? promptName(request, block) : target[block]);
            return blocks;
        }

        @Override
        public int answerNames(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
        {
            final int blocks = request.outputTokens() / blockSizeTokens;
            Arrays.setAll(target, block -> block < blocks ? answerName(request, block) : target[block]);
            return blocks;
        }

        @Override
        public Map<String, String> settings()
        {
            return Map.of();
        }
    }

    /** By the definition of a key, for one token. */
    private static long expected(final WorkloadRequest request, final int position)
    {
        final int block = position / BLOCK;
        final int answerBlock = block - request.promptTokens() / BLOCK;
        final long name = answerBlock < 0 ? NamedBlocks.promptName(request, block) :
            answerBlock < request.outputTokens() / BLOCK ? NamedBlocks.answerName(request, answerBlock) : 0;
        return SplitMix64.mix(name == 0 ? request.requestId() : name, position);
    }

    @Provide
    Arbitrary<List<WorkloadRequest>> requests()
    {
        return SmallWorkloads.lists();
    }

    /** Each number is one question: its low bits choose the request, the others the first token and the count. */
    @Provide
    Arbitrary<List<Integer>> questions()
    {
        return Arbitraries.integers().greaterOrEqual(0).list().ofMinSize(1).ofMaxSize(200);
    }

    @Property(tries = 200)
    void keyDependsOnItsTokenAlone(
        @ForAll("requests") final List<WorkloadRequest> requests, @ForAll("questions") final List<Integer> questions)
    {
        final RowKeys keys = new RowKeys(new NamedBlocks(requests), BLOCK);
        for (final int question : questions)
        {
            final WorkloadRequest request = requests.get(question % requests.size());
            final int tokens = request.promptTokens() + request.outputTokens();
            final int start = (question >>> 6) % tokens;
            final int count = (question & 1) == 0 ? 1 : Math.min(tokens - start, 1 + (question >>> 1) % 50);
            final long[] found = new long[count];
            keys.keys(request.requestId(), start, count, found);
            final long[] expected = new long[count];
            Arrays.setAll(expected, i -> expected(request, start + i));
            assertArrayEquals(expected, found, () -> request + " from " + start);
        }
    }

    @Test
    void shouldNameTheBlocksOfARequestOncePerDecodedBlock()
    {
        final List<WorkloadRequest> requests =
            List.of(ListWorkload.arriving(1, 0, 32, 40), ListWorkload.arriving(2, 0, 32, 40));
        final NamedBlocks workload = new NamedBlocks(requests);
        final RowKeys keys = new RowKeys(workload, BLOCK);
        for (int position = 32; position < 72; position++)
        {
            for (final WorkloadRequest request : requests)
            {
                keys.keys(request.requestId(), position, 1, new long[1]);
            }
        }
        assertEquals(2 * 3, workload.namings, "two requests decode three blocks each, a token at a time");
    }
}
