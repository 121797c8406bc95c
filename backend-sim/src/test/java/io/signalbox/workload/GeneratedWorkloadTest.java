// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import io.signalbox.SeededTokens;
import io.signalbox.kv.hash.BlockHashFunction;
import io.signalbox.kv.hash.BlockHasher;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class GeneratedWorkloadTest
{
    private static final int BLOCK_SIZE = 16;

    private static GeneratedWorkload generate(final long seed)
    {
        return GeneratedWorkload.of(GeneratedWorkloadConfig.builder().seed(seed).build());
    }

    private static long[] hashes(final Workload workload, final WorkloadRequest request)
    {
        final long[] hashes = new long[request.promptTokens() / BLOCK_SIZE];
        final int[] tokens = new int[request.promptTokens()];
        workload.text().tokens(request, 0, tokens.length, (id, position) -> SeededTokens.token(9, id, position), tokens);
        BlockHasher.of(BlockHashFunction.XXH3_128, BLOCK_SIZE).hash(tokens, tokens.length, new byte[0], hashes);
        return hashes;
    }

    private static long fingerprint(final Workload workload)
    {
        long fingerprint = 0;
        for (final WorkloadRequest request : workload.requests())
        {
            fingerprint = SplitMix64.mix(fingerprint, request.arrivalNanos());
            fingerprint = SplitMix64.mix(fingerprint, request.thinkTimeNanos());
            fingerprint = SplitMix64.mix(fingerprint, request.promptTokens());
            fingerprint = SplitMix64.mix(fingerprint, request.outputTokens());
            for (final long hash : hashes(workload, request))
            {
                fingerprint = SplitMix64.mix(fingerprint, hash);
            }
        }
        return fingerprint;
    }

    @Test
    void shouldGiveTheSameRequestsOnEveryJvm()
    {
        // Computed once and written down: another JVM, or another version of this code, must come to the same.
        assertEquals(7355389755769864005L, fingerprint(generate(1)));
    }

    @Test
    void shouldGiveOtherRequestsForAnotherSeed()
    {
        assertEquals(fingerprint(generate(5)), fingerprint(generate(5)));
        assertNotEquals(fingerprint(generate(5)), fingerprint(generate(6)));
    }

    @Test
    void shouldHaveAboutTwoThousandRequestsByDefault()
    {
        final int requests = generate(1).requests().size();
        assertTrue(requests > 1500 && requests < 2500, "requests: " + requests);
    }

    @Test
    void shouldLetEachTurnRepeatPromptAndOutputOfTheLast()
    {
        final GeneratedWorkload workload = generate(2);
        final List<WorkloadRequest> requests = workload.requests();
        int followUps = 0;
        for (int index = 0; index < requests.size(); index++)
        {
            final WorkloadRequest request = requests.get(index);
            assertEquals(index + 1, request.requestId());
            if (request.predecessorId() < 0)
            {
                assertTrue(request.arrivalNanos() >= 0);
                continue;
            }
            followUps++;
            final WorkloadRequest last = requests.get((int)request.predecessorId() - 1);
            assertTrue(last.requestId() < request.requestId());
            assertEquals(-1, request.arrivalNanos());
            assertEquals(last.conversationId(), request.conversationId());
            assertTrue(request.promptTokens() > last.promptTokens() + last.outputTokens());
            final int[] answer = new int[last.outputTokens()];
            workload.text().tokens(request, last.promptTokens(), last.promptTokens() + answer.length,
                (id, position) -> id == last.requestId() ? position : -1, answer);
            assertArrayEquals(IntStream.range(last.promptTokens(), last.promptTokens() + answer.length).toArray(), answer);
            final long[] before = hashes(workload, last);
            assertArrayEquals(before, Arrays.copyOf(hashes(workload, request), before.length));
        }
        assertTrue(followUps > requests.size() / 2);
    }

    @Test
    void shouldShareTheSystemPromptAndNothingElseAcrossConversations()
    {
        final GeneratedWorkload workload = generate(3);
        final int systemBlocks = 512 / BLOCK_SIZE;
        final long[] system = Arrays.copyOf(hashes(workload, workload.requests().get(0)), systemBlocks);
        final Map<Long, Long> owners = new HashMap<>();
        for (final WorkloadRequest request : workload.requests())
        {
            final long[] hashes = hashes(workload, request);
            assertArrayEquals(system, Arrays.copyOf(hashes, systemBlocks));
            for (int i = systemBlocks; i < hashes.length; i++)
            {
                assertTrue(hashes[i] > 0);
                final Long owner = owners.putIfAbsent(hashes[i], request.conversationId());
                assertTrue(owner == null || owner == request.conversationId());
            }
        }
        final Set<Long> distinct = new HashSet<>(owners.keySet());
        for (final long hash : system)
        {
            assertTrue(hash > 0 && distinct.add(hash));
        }
    }

    /** In prompt or answer, in any turn of the conversation. */
    @Test
    void shouldNameTheContentOfATokenByItsPlaceInTheConversation()
    {
        final GeneratedWorkload workload = generate(4);
        final WorkloadRequest last = workload.requests().stream().filter(turn -> turn.predecessorId() > 0).findFirst()
            .orElseThrow();
        final WorkloadRequest before = workload.requests().get((int)last.predecessorId() - 1);
        final WorkloadRequest other = workload.requests().stream()
            .filter(turn -> turn.conversationId() != last.conversationId()).findFirst().orElseThrow();
        final Set<Long> keys = new HashSet<>();
        for (int position = 0; position < before.promptTokens() + before.outputTokens(); position++)
        {
            final long key = workload.contentKey(last, position);
            assertEquals(key, workload.contentKey(before, position));
            assertEquals(position < 512, key == workload.contentKey(other, position));
            assertTrue(keys.add(key));
        }
    }

    @Test
    void shouldKeepAConversationAsItIsWhenOthersAreAdded()
    {
        final Workload small = GeneratedWorkload.of(GeneratedWorkloadConfig.builder().conversations(3).build());
        final Workload large = GeneratedWorkload.of(GeneratedWorkloadConfig.builder().conversations(9).build());
        assertEquals(small.requests(), large.requests().subList(0, small.requests().size()));
    }

    @Test
    void shouldEndAConversationBeforeItOutgrowsItsContext()
    {
        final GeneratedWorkloadConfig config = GeneratedWorkloadConfig.builder()
            .turns(new SizeDistribution.Fixed(50))
            .systemPromptTokens(0)
            .userTokens(new SizeDistribution.Fixed(70))
            .outputTokens(new SizeDistribution.Fixed(30))
            .maxContextTokens(1000)
            .conversations(2)
            .build();
        final List<WorkloadRequest> requests = GeneratedWorkload.of(config).requests();
        assertEquals(20, requests.size());
        assertEquals(970, requests.get(9).promptTokens());
    }

    @Test
    void shouldRefuseImpossibleSizes()
    {
        final GeneratedWorkloadConfig.Builder tooShort = GeneratedWorkloadConfig.builder().maxContextTokens(100);
        assertTrue(assertThrows(ConfigException.class, () -> GeneratedWorkload.of(tooShort.build()))
            .getMessage().contains("no first turn fits into maxContextTokens=100"));
        assertThrows(ConfigException.class, () -> GeneratedWorkloadConfig.builder().conversations(0).build());
        assertThrows(ConfigException.class, () -> GeneratedWorkloadConfig.builder().systemPromptTokens(-1).build());
        assertThrows(ConfigException.class, () -> GeneratedWorkloadConfig.builder().meanThinkTimeNanos(-1).build());
    }

    @Test
    void shouldNameEverySettingInOrder()
    {
        final Map<String, String> settings = generate(1).settings();
        assertEquals(settings.keySet().stream().sorted().toList(), List.copyOf(settings.keySet()));
        assertEquals("poisson:8.0", settings.get("workload.arrivals"));
        assertEquals(11, settings.size());
    }
}
