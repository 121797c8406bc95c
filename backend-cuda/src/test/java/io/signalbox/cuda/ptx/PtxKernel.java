// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.ptx;

import java.util.List;

/**
 * A kernel of a PTX text.
 *
 * @param maxThreads of a block.
 * @param lines      of its body: declarations, labels and instructions.
 */
record PtxKernel(String name, List<Parameter> parameters, int maxThreads, List<String> lines)
{
    /** A parameter by its name, with its type such as {@code u64}. */
    record Parameter(String name, String type)
    {
    }
}
