// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

/** The driver's library lacks a function that the binding calls; calling it would end the process without a word of Java. */
final class MissingSymbolError extends LinkageError
{
    private static final long serialVersionUID = 1L;

    /** @param library the file that was loaded. */
    MissingSymbolError(final String library, final String symbol)
    {
        super("the driver's library " + library + " lacks the symbol " + symbol);
    }
}
