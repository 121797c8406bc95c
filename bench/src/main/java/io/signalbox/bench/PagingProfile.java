// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

/**
 * The treatment of running requests when KV blocks run short, and in which order requests get and give blocks. Engines
 * use the first; {@link PagingComparison} runs both over one load.
 */
enum PagingProfile
{
    /**
     * Signalbox's default, after vLLM's scheduler: running requests come first in the order of their admission; when
     * blocks run out, the one admitted last gives up its blocks and is computed again later. A prefix is shared only
     * once the step that computes it has completed. See {@link io.signalbox.batch.BatchPlanner}.
     */
    RECOMPUTE,
    /**
     * The rules of Megatron Core's dynamic context as of August 2026: a request that crosses a block boundary is paused
     * and resumed, the one paused last first; paused requests keep their blocks up to a limit, and what overflows it is
     * evicted; a prefix can be shared from the moment of its admission. See
     * {@link io.signalbox.reference.megatron.MegatronPlanner}.
     */
    MEGATRON
}
