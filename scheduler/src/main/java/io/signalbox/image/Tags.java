// SPDX-License-Identifier: Apache-2.0
package io.signalbox.image;

/** Tell how a reference to an object is written. */
final class Tags
{
    static final int NULL = 0;
    /** The number of an object that came earlier follows. */
    static final int SEEN = 1;
    /** The class and the content of a further object follow; objects are numbered from 0 in this order. */
    static final int HERE = 2;
    /** An object that a new scheduler has in this place. */
    static final int KEPT = 3;
    /** The class and the name of a constant follow. */
    static final int CONSTANT = 4;
    /** The number of bytes of a text in UTF-8 and the bytes follow. */
    static final int TEXT = 5;

    private Tags()
    {
    }
}
