// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the command line.
 *
 * <p>It parses options, calls the library and prints. Scripts depend on its options, exit codes and JSON, not on its
 * classes.
 */
package io.signalbox.cli;
