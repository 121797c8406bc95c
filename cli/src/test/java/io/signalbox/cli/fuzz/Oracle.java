// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.util.List;

/** A property of every command, whatever its input. */
interface Oracle
{
    /** The complaint; empty if there is none. */
    List<String> complaints(Observation seen);
}
