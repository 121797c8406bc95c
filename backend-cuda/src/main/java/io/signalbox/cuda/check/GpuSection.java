// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import java.util.Locale;

/** The sections of the GPU check, in the order in which they run: what later ones rest on comes first. */
public enum GpuSection
{
    DEVICE("the device and the kernel image that it took"),
    ROUTERS("every router mode and logit type against the Java oracle, on fresh inputs and poisoned outputs"),
    CAPTURE_FORMS("fused, unfused and second selection give the same rows"),
    GRAPH("graphs give the bytes that single launches give"),
    STEPS("steps with two in flight, every checksum right"),
    RANKS("two ranks on the device, through the backend and its threads"),
    MODEL("whole models against Java, through steps and the engine; the time of steps beside the bandwidth"),
    PROFILE("time of each kernel of decode steps of the large model"),
    LINK("rate of result copies against the measured link"),
    LATENCY("from a stream's write to Java"),
    LAUNCHES("what a launch costs the host"),
    TURNAROUND("from the end of a step on the device to the next one, through the engine"),
    OVERHEAD("what capture adds to a step of realistic length"),
    SOAK("requests through two ranks with drafts, preemptions and journals, for as long as is asked for"),
    SANITIZER("the routers and steps under compute-sanitizer");

    private final String purpose;

    GpuSection(final String purpose)
    {
        this.purpose = purpose;
    }

    public String purpose()
    {
        return purpose;
    }

    /** {@code capture-forms} for {@link #CAPTURE_FORMS}. */
    public String label()
    {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
