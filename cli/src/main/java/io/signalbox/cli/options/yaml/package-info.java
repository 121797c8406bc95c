// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: options that name a YAML file.
 */
package io.signalbox.cli.options.yaml;
