// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class FirstRequestsTest
{
    private static final Workload WHOLE =
        GeneratedWorkload.of(GeneratedWorkloadConfig.builder().conversations(5).seed(3).build());

    @Test
    void shouldKeepTheFirstRequestsInTheirOrder()
    {
        final Workload first = new FirstRequests(WHOLE, 4);

        assertEquals(WHOLE.requests().subList(0, 4), first.requests());
        assertEquals("4", first.settings().get("workload.firstRequests"));
    }

    @Test
    void shouldKeepTheWholeWorkloadWhereItIsShorter()
    {
        assertEquals(WHOLE.requests(), new FirstRequests(WHOLE, Integer.MAX_VALUE).requests());
    }

    @Test
    void shouldHashAsTheWholeWorkloadDoes()
    {
        final WorkloadRequest request = WHOLE.requests().get(2);
        final long[] expected = new long[request.promptTokens() / 16];
        final long[] hashes = new long[expected.length];

        WHOLE.blockHashes(request, 16, expected);
        assertEquals(expected.length, new FirstRequests(WHOLE, 3).blockHashes(request, 16, hashes));
        assertArrayEquals(expected, hashes);
    }

    @Test
    void shouldRefuseToKeepNothing()
    {
        assertThrows(ConfigException.class, () -> new FirstRequests(WHOLE, 0));
    }
}
