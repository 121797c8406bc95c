// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.backend.Backend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The contract of backends finds each planted defect, by the test that names the duty and with one sentence. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PlantedBackendsTest
{
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int TRIES = 3;

    /** Runs only when a test here calls it. */
    private static final class Contract extends BackendContractTest
    {
        private final BackendDefect defect;

        Contract(final BackendDefect defect)
        {
            this.defect = defect;
        }

        @Override
        protected Backend backend()
        {
            return defect == BackendDefect.NULL ? null : new PlantedBackend(defect);
        }

        @Override
        protected int vocabularySize()
        {
            return PlantedBackend.VOCABULARY;
        }

        /** Short for the defects that use it up. */
        @Override
        protected Duration patience()
        {
            return defect != null && (defect.sentence().contains("within 300 ms") ||
                defect.sentence().contains("within 1800 ms")) ? SHORT : LONG;
        }
    }

    @Test
    void shouldFindNothingInASoundBackend()
    {
        assertEquals(Map.of(), ContractRun.failures(new Contract(null)));
    }

    @ParameterizedTest
    @EnumSource(BackendDefect.class)
    void shouldFindEachDefect(final BackendDefect defect)
    {
        String failure = null;
        // On a machine that stops for as long as the patience of a test, another duty may be late first.
        for (int tries = 0; tries < TRIES && (failure == null || !failure.contains(defect.sentence())); tries++)
        {
            failure = ContractRun.failure(new Contract(defect), defect.test());
            assertNotNull(failure, "the contract did not find " + defect);
        }
        assertTrue(failure.contains(defect.sentence()), failure);
        assertTrue(failure.startsWith("the backend "), failure);
    }
}
