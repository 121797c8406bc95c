// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the lists that TensorRT-LLM's ranks exchange.
 *
 * <p>They fill the batch of a router as the original does.
 */
package io.signalbox.conformance.trtllm;
