// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
        assertEquals(hashes.length, workload.blockHashes(request, BLOCK_SIZE, hashes));
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
        assertEquals(-860460678061424499L, fingerprint(generate(1)));
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
