// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.printing;

/**
 * Requests that the report does not count, because they were never submitted.
 *
 * @param leftOut    behind the last one that {@code --limit} lets in.
 * @param neverAsked later turns of conversations that a cancelled or failed turn ended.
 */
public record Asked(long leftOut, long neverAsked)
{
}
