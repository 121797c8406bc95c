// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

/** The rows of a request that are exported. */
public enum RowSplit
{
    /** Every row. */
    ALL,
    /** Rows of tokens of the prompt. */
    PROMPT,
    /** Rows of generated tokens. */
    GENERATED
}
