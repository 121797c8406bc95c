// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
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
    void shouldHaveTheTextOfTheWholeWorkload()
    {
        assertSame(WHOLE.text(), new FirstRequests(WHOLE, 3).text());
    }

    @Test
    void shouldRefuseToKeepNothing()
    {
        assertThrows(ConfigException.class, () -> new FirstRequests(WHOLE, 0));
    }
}
