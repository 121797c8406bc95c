// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

/**
 * Requests that the report does not count, because they were never submitted.
 *
 * @param leftOut    requests that {@code --limit} leaves out.
 * @param neverAsked later turns of conversations that a cancelled or failed turn ended.
 */
public record Asked(long leftOut, long neverAsked)
{
}
