// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: Megatron Core's blocks and paging rules.
 *
 * <p>Slow and obvious. It reproduces recorded behaviour, defects included.
 */
package io.signalbox.conformance.megatron;
