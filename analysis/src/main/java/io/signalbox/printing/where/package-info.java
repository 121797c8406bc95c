// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: conditions on the rows of a table, as {@code --where} has them.
 */
package io.signalbox.printing.where;
