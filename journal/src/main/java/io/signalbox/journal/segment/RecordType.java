// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

/** Kind of a record's payload. The codes are part of the format. */
public enum RecordType
{
    /** Everything the run depends on; the record with sequence 0, and no other. */
    RUN_DESCRIPTION(1),
    /** One group: an input and its outputs. */
    GROUP(2),
    /** Routed-expert rows of the group behind them. */
    ROWS(3),
    /** The last record of a segment. Outside sequence and chain. */
    SEAL(4),
    /** The first record of every segment but the first. Outside sequence and chain. */
    CONTINUATION(5),
    /** Declares an input void; the first record behind a continuation. */
    VOID(6);

    private static final RecordType[] BY_CODE = {null, RUN_DESCRIPTION, GROUP, ROWS, SEAL, CONTINUATION, VOID};

    private final int code;

    RecordType(final int code)
    {
        this.code = code;
    }

    public int code()
    {
        return code;
    }

    /** Whether records of this type take a sequence number and a link of the chain. */
    public boolean isChained()
    {
        return this != SEAL && this != CONTINUATION;
    }

    /** Returns {@code null} if this version does not know the code. */
    static RecordType of(final int code)
    {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
