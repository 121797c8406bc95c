// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

/** Receives the use of every byte of a segment's file, in order, as the scanner passes it. */
@FunctionalInterface
public interface RegionListener
{
    /** The bytes from {@code from} up to, not including, {@code to}. */
    void onRegion(int segment, long from, long to, Region region);
}
