// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.journal;

import java.nio.MappedByteBuffer;

/** A journal that reads a mapped file: damage would crash the JVM. */
final class BadMapping
{
    private final MappedByteBuffer file;

    BadMapping(final MappedByteBuffer file)
    {
        this.file = file;
    }

    int magic()
    {
        return file.getInt(0);
    }
}
