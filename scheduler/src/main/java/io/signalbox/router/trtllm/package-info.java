// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the attention-DP routers of TensorRT-LLM.
 *
 * <p>{@link io.signalbox.router.DpRouters} finds them by label.
 */
package io.signalbox.router.trtllm;
