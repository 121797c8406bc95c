// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.journal;

import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.SealEncoder;
import org.agrona.ExpandableArrayBuffer;

/** A journal that lays out a message a second time. */
final class BadRecord
{
    private BadRecord()
    {
    }

    static int seal(final ExpandableArrayBuffer target)
    {
        return new SealEncoder().wrapAndApplyHeader(target, 0, new MessageHeaderEncoder()).encodedLength();
    }
}
