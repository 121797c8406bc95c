// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.ForwardingDriver;
import io.signalbox.cuda.driver.JCudaBinding;
import io.signalbox.experts.ModelShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;

class KernelsSectionTest
{
    /** Single launches between the events would time the host that makes them. */
    @Test
    @Timeout(300)
    void shouldTimeNothingButAGraphBehindAnotherOne()
    {
        EmulatedDriver.assumeAvailable();
        final Calls driver = new Calls();
        driver.load();
        driver.initialise();
        final CheckDevice device = new CheckDevice(driver, 0);
        final CheckConfig options = new CheckConfig(0, 1, new ModelShape(1, 16, 4), 2, 1, 40, 40,
            List.of(new OverheadCell(2, 2, 0.0)), 0, 1, 20, CheckLimits.DEFAULT, Set.of(GpuSection.KERNELS),
            List.of("false"));
        final Findings findings = new Findings();
        new KernelsSection().run(device, options, findings);
        device.close();

        final int figures = (int)findings.result(GpuSection.KERNELS, 0.0).figures().stream()
            .filter(figure -> !figure.name().contains("step")).count();
        assertEquals(16, figures);
        assertEquals(figures, driver.measured.size());
        driver.measured.forEach(calls -> assertEquals("graph, start, graph, end", calls));
    }

    /** Keeps what is enqueued from before the first of two timed events to the second. */
    private static final class Calls extends ForwardingDriver
    {
        private final List<String> measured = new ArrayList<>();
        private final Set<Event> timed = new HashSet<>();
        private String before = "";
        private String since = "";

        private Calls()
        {
            super(new JCudaBinding());
        }

        @Override
        public CudaDriver.Event createTimedEvent()
        {
            final Event event = super.createTimedEvent();
            timed.add(event);
            return event;
        }

        @Override
        public void record(final Event event, final Stream stream)
        {
            super.record(event, stream);
            if (!timed.contains(event))
            {
                return;
            }
            if (since.isEmpty())
            {
                since = before + ", start";
                return;
            }
            measured.add(since + ", end");
            since = "";
        }

        @Override
        public void launch(final Launch launch, final Stream stream)
        {
            super.launch(launch, stream);
            enqueued("launch");
        }

        @Override
        public void launch(final Graph graph, final Stream stream)
        {
            super.launch(graph, stream);
            enqueued("graph");
        }

        private void enqueued(final String call)
        {
            before = call;
            since = since.isEmpty() ? since : since + ", " + call;
        }
    }
}
