// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the commands, which call the library.
 */
package io.signalbox.cli.commands;
