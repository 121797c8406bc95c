// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: options that name a file for a result in another form.
 */
package io.signalbox.cli.options.output;
