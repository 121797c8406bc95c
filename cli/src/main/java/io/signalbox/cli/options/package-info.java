// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the options of the commands, which become configurations of the library.
 */
package io.signalbox.cli.options;
