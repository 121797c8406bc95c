// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.TestStrength;
import io.signalbox.cuda.driver.CudaAvailability;
import io.signalbox.cuda.driver.CudaProbe;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.JCudaBinding;
import io.signalbox.cuda.driver.StuckThreads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The check ends, with all it has found so far, whatever never returns. */
@Timeout(120)
class GpuCheckStuckTest
{
    private static final long LIMIT_NANOS = 500_000_000;
    private static final CheckLimits SHORT = new CheckLimits(2, 2);
    /** Where everything ends by itself. */
    private static final CheckLimits LONG = new CheckLimits(60, 60);
    private static final CheckProgress NOBODY = new CheckProgress()
    {
        @Override
        public void onStart(final GpuSection section)
        {
        }

        @Override
        public void onResult(final SectionResult result)
        {
        }
    };

    private static boolean isWarm;

    private final JCudaBinding driver = new JCudaBinding(LIMIT_NANOS);

    @BeforeEach
    void load()
    {
        EmulatedDriver.assumeAvailable();
        driver.load();
        driver.initialise();
        warmUp();
    }

    /** The first run loads classes and kernels, for which the limits of a test leave no time on a busy machine. */
    private static void warmUp()
    {
        if (!isWarm)
        {
            final JCudaBinding patient = new JCudaBinding();
            new GpuCheck(patient, GpuCheck.sections(CheckOracle.JAVA, null, List.of())).run(
                options(40, 0.0, CheckLimits.DEFAULT, EnumSet.of(GpuSection.DEVICE, GpuSection.LAUNCHES)), NOBODY);
            isWarm = true;
        }
    }

    @AfterEach
    void letGo()
    {
        EmulatedDriver.letGo();
    }

    private static List<GpuSection> shouldStopAtASectionWhoseKernelNeverEnds()
    {
        return List.of(GpuSection.ROUTERS, GpuSection.GRAPH, GpuSection.CAPTURE_FORMS, GpuSection.LAUNCHES)
            .subList(0, TestStrength.count(2, 4));
    }

    /** A kernel that never ends, in whichever section it is; each takes the whole time of a section. */
    @ParameterizedTest
    @MethodSource
    void shouldStopAtASectionWhoseKernelNeverEnds(final GpuSection section)
    {
        EmulatedDriver.threaded(1, 0);
        EmulatedDriver.stallLaunch(3);
        final CheckOutcome outcome = check(EnumSet.of(GpuSection.DEVICE, section, GpuSection.SANITIZER));

        assertTrue(outcome.stopped());
        assertEquals(List.of(CheckVerdict.PASSED, CheckVerdict.FAILED, CheckVerdict.NOT_RUN),
            outcome.results().stream().map(SectionResult::verdict).toList(), outcome.toString());
        assertTrue(outcome.results().get(2).note().contains("since the section " + section.label()), outcome.toString());
        assertEquals(0, EmulatedDriver.blocked(), "nothing waits inside the driver");
    }

    private static List<String> shouldStopAtASectionWhoseCallNeverReturns()
    {
        return List.of("cuLaunchKernel", "cuMemFree", "cuEventRecord", "cuStreamQuery").subList(0, TestStrength.count(2, 4));
    }

    @ParameterizedTest
    @MethodSource
    void shouldStopAtASectionWhoseCallNeverReturns(final String call)
    {
        EmulatedDriver.hangCall(call, 1);
        final CheckOutcome outcome = check(EnumSet.of(GpuSection.LAUNCHES, GpuSection.SANITIZER));

        assertTrue(outcome.stopped());
        final String note = outcome.results().get(0).note();
        assertTrue(note.endsWith("The section launches did not end within 2 s; its thread is in " + call + "."), note);
        assertEquals(CheckVerdict.NOT_RUN, outcome.results().get(1).verdict());
        assertTrue(StuckThreads.any(), "a process with such a thread is to be halted");
    }

    @Test
    void shouldStopWhereTheDeviceDoesNotOpen()
    {
        EmulatedDriver.hangCall("cuDevicePrimaryCtxRetain", 1);
        final CheckOutcome outcome = check(EnumSet.of(GpuSection.LAUNCHES));

        assertTrue(outcome.stopped());
        assertEquals("The opening of the device did not end within 2 s; its thread is in cuDevicePrimaryCtxRetain.",
            outcome.results().get(0).note());
    }

    @Test
    void shouldStopWhereTheDeviceDoesNotClose()
    {
        EmulatedDriver.hangCall("cuModuleUnload", 1);
        final CheckOutcome outcome = check(EnumSet.of(GpuSection.DEVICE));

        assertTrue(outcome.stopped());
        assertEquals(CheckVerdict.PASSED, outcome.results().get(0).verdict());
        assertEquals("The closing of the device did not end within 2 s; its thread is in cuModuleUnload.",
            outcome.results().get(1).note());
    }

    /** A section that fails is no reason to stop. */
    @Test
    void shouldNotStopAtASectionThatFails()
    {
        EmulatedDriver.failCall("cuMemHostAlloc", 1, 2);
        final CheckOutcome outcome = check(new JCudaBinding(), LONG, EnumSet.of(GpuSection.LINK, GpuSection.LAUNCHES));

        assertFalse(outcome.stopped());
        assertEquals(List.of(CheckVerdict.FAILED, CheckVerdict.PASSED),
            outcome.results().stream().map(SectionResult::verdict).toList());
    }

    @Test
    void shouldGiveTheProbeALimit()
    {
        EmulatedDriver.hangCall("cuInit", 1);
        final CudaAvailability found = new CudaProbe(driver, LIMIT_NANOS).probe();

        assertEquals(CudaAvailability.State.DRIVER_STUCK, found.state());
        assertEquals("the NVIDIA driver does not answer: the question for devices did not end within 500 " +
            "ms; its thread is in cuInit; check nvidia-smi and the kernel's log, and restart the driver or " +
            "the machine.", found.message());
    }

    /** A section has 2.5 times the duration that its options determine, if that is more than the limit. */
    @Test
    void shouldGiveLongSectionsALimitOfTheirOwn()
    {
        final CheckConfig options = options(2000, 13.2, SHORT, EnumSet.allOf(GpuSection.class));

        assertEquals(2, new CheckRun(options, NOBODY).limitSeconds(GpuSection.STEPS));
        assertEquals(2.5 * OverheadSection.expectedSeconds(options),
            new CheckRun(options, NOBODY).limitSeconds(GpuSection.OVERHEAD));
        // Three tools with two parts of 2 s each.
        assertEquals(14, new CheckRun(options, NOBODY).limitSeconds(GpuSection.SANITIZER));
    }

    private CheckOutcome check(final Set<GpuSection> sections)
    {
        return check(driver, SHORT, sections);
    }

    private static CheckOutcome check(final JCudaBinding driver, final CheckLimits limits, final Set<GpuSection> sections)
    {
        return new GpuCheck(driver, GpuCheck.sections(CheckOracle.JAVA, null, List.of()))
            .run(options(40, 0.0, limits, sections), NOBODY);
    }

    private static CheckConfig options(
        final int steps, final double millis, final CheckLimits limits, final Set<GpuSection> sections)
    {
        return SmallCheck.of(sections).withSteps(40, steps).withCells(List.of(new OverheadCell(32, 32, millis)))
            .withLimits(limits);
    }
}
