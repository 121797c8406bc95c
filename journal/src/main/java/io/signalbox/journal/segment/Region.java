// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

/** Use of a range of bytes in a segment's file. Only damage to a RECORD can change the records that a reader receives. */
public enum Region
{
    /** Chronicle's 4-byte header of a record, its envelope and its payload. */
    RECORD,
    /** Up to three bytes that bring the next header to a multiple of four; never read. */
    PADDING,
    /** Chronicle's header document: Chronicle's own bookkeeping, read for its name and length only. */
    CHRONICLE_STORE_HEADER,
    /** Chronicle's index pages, read for their name and length only. */
    CHRONICLE_INDEX,
    /** Bytes behind the end or the seal; after a seal they are never read. */
    UNUSED,
    /** Bytes that recovery cut; the next segment says that this one ends ahead of them. */
    CUT
}
