// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

/** Treatment of a routed-expert row that no expert router can have chosen. */
public enum ImpossibleRows
{
    /** The row is missing, and counted as refused. */
    MISSING,
    /** The step fails, and its requests start over. */
    FAIL_STEP
}
