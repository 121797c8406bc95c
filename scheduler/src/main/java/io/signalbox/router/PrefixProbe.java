// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/** Looks up how many tokens of a prompt each rank has cached. */
@FunctionalInterface
public interface PrefixProbe
{
    /** Writes the matched tokens of the request on every rank into the batch. */
    void probe(int request, PlacementBatchWriter batch);
}
