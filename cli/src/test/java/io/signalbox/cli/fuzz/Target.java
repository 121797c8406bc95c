// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.util.List;

/** The target of a fuzzer: the command line in another process, or a fake with a planted fault. */
interface Target
{
    Outcome run(List<String> arguments);
}
