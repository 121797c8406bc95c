// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import java.util.List;

/** Defects of the fold of a run's events: a text of a source file, and what replaces it. */
enum FoldPlant
{
    FENCE_IGNORED("state/StateFold.java",
        "if (fence == 0)",
        "if (fence >= 0)"),
    WITHDRAWN_FENCE_KEPT("state/RankState.java",
        "retired.set(i, new RetiredBlocks(newestLeft, retired.get(i).blocks()));",
        "retired.set(i, retired.get(i));"),
    LOST_RANK_KEEPS_ITS_LINE("state/StateFold.java",
        "            evacuated = rank.rank;\n",
        ""),
    TIMED_OUT_RANK_STAYS("state/StateFold.java",
        "cause == WithdrawalCause.RANK_LOST || cause == WithdrawalCause.TIMED_OUT",
        "cause == WithdrawalCause.RANK_LOST"),
    REQUEUED_WAITS_LAST("state/StateFold.java",
        "rank.waiting.addAgain(request);",
        "rank.waiting.addByPriority(request);"),
    FORMER_ORDER_IGNORED("state/RequestLine.java",
        "get(at).priority == request.priority && get(at).wasAheadOf(request)",
        "get(at) == request"),
    EVICTED_KEEPS_HASH("state/BlockStates.java",
        "        forget(block);\n        cached--;\n",
        "        cached--;\n"),
    PARENT_IGNORED("state/BlockStates.java",
        "Math.min(depths[parent] + 1, UNKNOWN_DEPTH)",
        "depths[parent]"),
    MATCH_IS_NO_USE("state/BlockStates.java",
        "            owned++;\n        }\n        use(block, step);",
        "            owned++;\n        }"),
    RESET_KEEPS_PREFIXES("state/StateFold.java",
        "                if (forgets)\n",
        "                if (forgets && reset.rank() < 0)\n"),
    PAUSE_SURVIVES_REQUEUE("state/StateFold.java",
        "        request.paused = false;\n        request.former = request.admission;\n",
        "        request.former = request.admission;\n"),
    FINISHED_FORGOTTEN("state/StateFold.java",
        "if (!request.wantsRows || !state.shape.capture())",
        "if (request.id >= 0)"),
    RETIRED_NOT_WRITTEN("state/StateDecoder.java",
        "        rank.retired.forEach(retired -> own(pool, retired.blocks()));\n",
        ""),
    FORMER_NOT_READ("state/StateDecoder.java",
        "request.former = bytes.count(MOST);",
        "request.former = 0 * bytes.count(MOST);");

    final String file;
    final List<String> edits;

    FoldPlant(final String file, final String... edits)
    {
        this.file = file;
        this.edits = List.of(edits);
    }
}
