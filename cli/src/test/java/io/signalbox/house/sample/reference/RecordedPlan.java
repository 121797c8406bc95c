// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.reference;

/** What another system decided. */
public interface RecordedPlan
{
    int steps();
}
