// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.nio.file.Path;

/** Receives how far the reading of a journal is; called from the reading thread, about once per MiB. */
@FunctionalInterface
public interface ReadProgress
{
    /** Reports nothing. */
    ReadProgress NONE = (file, position, length) ->
    {
    };

    /** @param position bytes of the file that were read or skipped. */
    void onRead(Path file, long position, long length);
}
