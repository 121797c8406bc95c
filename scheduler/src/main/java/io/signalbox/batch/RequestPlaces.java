// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.saved.SavedFields;

/** The requests of a scheduler that have not ended or whose rows were not taken: saved parts refer to them by place. */
public interface RequestPlaces
{
    int size();

    Request at(int index);

    /** A reference to a request; {@code null} for none. */
    default Request save(final SavedFields fields, final Request request)
    {
        final int place = request == null ? Request.NO_INDEX : request.liveIndex();
        final int index = fields.int32(place, Request.NO_INDEX, size() - 1);
        return index == Request.NO_INDEX ? null : at(index);
    }
}
