// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

/** The form of the lines of a trace. */
public enum TraceForm
{
    /** Everything that simulated requests have, exactly. */
    SIGNALBOX,
    /** Mooncake's: milliseconds, and an id per 512 tokens of prompt. */
    MOONCAKE
}
