// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.reference;

/** A decision of another system. */
public interface RecordedPlan
{
    int steps();
}
