// SPDX-License-Identifier: Apache-2.0

/**
 * Preview: answers from one journal.
 *
 * <p>The life of a request; tables of requests, ranks, blocks, experts, steps and events; a timeline; the routed-expert rows
 * of each request; the requests as a workload.
 */
package io.signalbox.inspect;
