// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the plan of a sweep, from options or from a file.
 */
package io.signalbox.cli.options.sweep;
