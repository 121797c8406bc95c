// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.printing;

import java.io.PrintStream;

/**
 * Where a command prints.
 *
 * @param out      the result and nothing else.
 * @param err      errors, wall-clock figures and progress.
 * @param terminal whether {@code err} is a terminal, on which progress may be shown.
 */
public record Console(ResultStream out, PrintStream err, boolean terminal)
{
}
