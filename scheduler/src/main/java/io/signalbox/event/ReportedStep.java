// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.RowForm;
import org.agrona.DirectBuffer;

/** The results of a step as {@link ReportWriter} reads them. Indexes count from 0. */
public interface ReportedStep
{
    long step();

    int epoch();

    int rank();

    /** Not negative. */
    long computeNanos();

    int entryCount();

    int start(int entry);

    int accepted(int entry);

    int tokenCount();

    int token(int index);

    boolean hasLogprobs();

    float logprob(int token);

    int impossibleCount();

    int impossibleRow(int index);

    /** NONE if capture is off. */
    RowForm rowForm();

    int rowCount();

    int rowBytes();

    /** Holds the rows; asked only if they are INLINE. */
    DirectBuffer rows();

    int rowsOffset();
}
