// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

/**
 * An input that an operator declared void. No reader hands out its group, so neither a replay nor a restart has it.
 *
 * @param record record whose input is void
 * @param reason why it could not be replayed
 */
public record VoidedInput(long record, String reason)
{
}
