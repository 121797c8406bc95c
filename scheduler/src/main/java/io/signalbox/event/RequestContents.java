// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

/** The live requests of a run, as the last step found them. */
public interface RequestContents
{
    /**
     * The request with this id; the object is used again for another one once it has ended.
     *
     * @throws io.signalbox.InvariantViolation if no live request has this id.
     */
    RequestContent of(long requestId);
}
