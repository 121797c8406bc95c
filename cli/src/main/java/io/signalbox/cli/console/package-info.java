// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the console, refusals, help, progress, and the documents of commands that need a GPU or an engine.
 */
package io.signalbox.cli.console;
