// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: searches over settings of simulated runs, in parts that several machines can run.
 *
 * <p>{@link io.signalbox.sweep.SweepPlan} numbers the cells, {@link io.signalbox.sweep.Sweep} runs those of one shard,
 * {@link io.signalbox.sweep.SweepDirectory} keeps their figures over kills, and {@link io.signalbox.sweep.SweepRanking}
 * orders the cells of all shards.
 */
package io.signalbox.sweep;
