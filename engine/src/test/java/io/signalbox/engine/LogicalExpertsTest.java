// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** Rows name experts of the checkpoint, whatever places experts on devices. */
class LogicalExpertsTest
{
    /** A backend whose router kernels see experts after they were placed. */
    private static final class PlacedExperts extends DelegatingBackend
    {
        @Override
        void beforeSubmit()
        {
        }

        @Override
        public BackendCapabilities capabilities()
        {
            return BackendCapabilities.named("scripted").capturesExperts(true).reportsLogicalExperts(false).build();
        }
    }

    private static SteppedEngine open(final ModelShape capture)
    {
        return new SteppedEngine(new EngineConfig().backend(new PlacedExperts())
            .scheduler(SchedulerConfig.builder().ranks(1).capture(capture).build()));
    }

    @Test
    void d22ShouldRefusePhysicalExpertIdsByName()
    {
        assertEquals("the backend scripted reports physical expert ids, of a placement of experts that a trainer does not " +
            "have; let it map them to logical ids, or turn capture off.",
            assertThrows(ConfigException.class, () -> open(new ModelShape(2, 64, 2))).getMessage());
        open(null).close();
    }
}
