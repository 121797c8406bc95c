// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** First bytes of the documents that Chronicle writes for itself: the code of an event name, its length, the name. */
public final class ChronicleNames
{
    /** Chronicle's own file in each segment. */
    static final String METADATA = "metadata.cq4t";

    private static final byte EVENT_NAME = (byte)0xB9;
    private static final byte[] STORE_HEADER = named("header");
    private static final byte[] FIRST_INDEX = named("index2index");
    private static final byte[] INDEX = named("index");
    /** Bytes that decide the name. */
    static final int LONGEST = FIRST_INDEX.length;

    private ChronicleNames()
    {
    }

    /** Whether Chronicle gives this name to a file of a segment. */
    public static boolean isFile(final String name)
    {
        return name.equals(METADATA) || name.endsWith(SegmentName.DATA_SUFFIX);
    }

    private static byte[] named(final String name)
    {
        final byte[] text = name.getBytes(StandardCharsets.US_ASCII);
        final byte[] start = new byte[text.length + 2];
        start[0] = EVENT_NAME;
        start[1] = (byte)text.length;
        System.arraycopy(text, 0, start, 2, text.length);
        return start;
    }

    /** Use of the document; {@code null} if the name is not one of Chronicle's. */
    static Region region(final byte[] bytes, final int start, final int length)
    {
        if (begins(bytes, start, length, STORE_HEADER))
        {
            return Region.CHRONICLE_STORE_HEADER;
        }
        return begins(bytes, start, length, FIRST_INDEX) || begins(bytes, start, length, INDEX)
            ? Region.CHRONICLE_INDEX
            : null;
    }

    private static boolean begins(final byte[] bytes, final int start, final int length, final byte[] name)
    {
        return length >= name.length &&
            Arrays.equals(bytes, start, start + name.length, name, 0, name.length);
    }
}
