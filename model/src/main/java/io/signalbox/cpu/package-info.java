// SPDX-License-Identifier: Apache-2.0

/**
 * Preview: a backend that computes a real model on the processor.
 *
 * <p>Each rank has its own keys and values, a thread that computes its steps in their order, a team of threads that
 * helps it, and a thread that reports results while the next step is computed.
 */
package io.signalbox.cpu;
