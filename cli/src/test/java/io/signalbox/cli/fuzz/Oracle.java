// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.util.List;

/** A property of every command, whatever its input. */
interface Oracle
{
    /** What is wrong; empty if nothing is. */
    List<String> complaints(Observation seen);
}
