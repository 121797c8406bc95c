// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import java.util.List;

/**
 * The outcome of one file of vectors.
 *
 * @param records         records that were compared; after a divergence the rest of its trace cannot be.
 * @param failed          traces that diverged, each at one record, and one more if traces are missing.
 * @param firstDivergence trace, record, expected and actual; null if there is none.
 * @param remarks         what a reader of the figures should know.
 */
record Outcome(int records, int failed, String firstDivergence, List<String> remarks)
{
}
