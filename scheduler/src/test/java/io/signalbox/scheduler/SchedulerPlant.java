// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.FairShareRuns;

import java.util.List;

/** Defects of the scheduler: the contract that each breaks, the runs that find it, a source text and its replacement. */
enum SchedulerPlant
{
    NO_FENCE("A block that a step in flight uses is not handed out until that step has landed.", Runs.DEPTH,
        "batch/RankBlocks.java",
        "if (request.isInFlight())\n        {\n            retiring.add",
        "if (request.blockCount < 0)\n        {\n            retiring.add"),
    REJECTED_ROWS_KEPT("A rejected draft token leaves no row.", Runs.DEPTH,
        "batch/StepCommit.java",
        "start, isLate ? visible : fed,",
        "start, fed,"),
    BLOCK_REGISTERED_ONE_EARLY("A block is registered at the Commit that computes its last token.", Runs.DEPTH,
        "batch/RankBlocks.java",
        "final int completeBlocks = Math.min(blockSize.blockOf(end),",
        "final int completeBlocks = Math.min(blockSize.blockOf(end + 1),"),
    REJECTED_TOKEN_IN_HASH("The hash of a block has the tokens that were emitted, and no others.", Runs.DEPTH,
        "batch/StepCommit.java",
        "            request.generated(token);\n",
        "            request.generated(token);\n" +
            "            if (visible == accepted && accepted > 1 && accepted < 4)\n" +
            "            {\n                request.prefix().addToken(token);\n            }\n"),
    SHARED_IN_STEP_THAT_READS_FIRST("A pending block is shared within its step only if KV is written before it is read.",
        Runs.DEPTH,
        "batch/RankBlocks.java",
        "sameStepSharing ? planInWork.step() + 1 : planInWork.step()",
        "planInWork.step() + 1"),
    FAULT_WITHDRAWS_ONLY_ITS_STEP("A withdrawn step withdraws every later step of its rank.", Runs.DEPTH,
        "scheduler/DpRank.java",
        "while (!open.isEmpty() && open.newest().step() >= fromStep)",
        "if (!open.isEmpty() && open.newest().step() >= fromStep)"),
    SPANS_OF_WEIGHTS_ONE_STEP_OFF("A row belongs to the weights that computed it.", Runs.DEPTH,
        "batch/StepCommit.java",
        "request.weights.extend(request.computedHighWater(), end, plan.weightGeneration());",
        "request.weights.extend(request.computedHighWater(), end, blocks.weightGeneration());"),
    NEW_WEIGHTS_KEEP_PREFIXES("New weights empty the prefix index.", Runs.DEPTH,
        "batch/RankBlocks.java",
        "        weightGeneration = weights;\n        forgetPrefixes(newGeneration);\n",
        "        weightGeneration = weights;\n"),
    DRAINED_WEIGHTS_AT_ONCE("With DRAIN, requests that have begun end before the new weights come.", Runs.DEPTH,
        "scheduler/Scheduler.java",
        "weights.isAwaited() && !ends.isAnyBegun()",
        "weights.isAwaited()"),
    OTHERS_BEGIN_WHILE_WEIGHTS_DRAIN("Until drained weights come, no other request begins.", Runs.DEPTH,
        "scheduler/WeightChange.java",
        "rank.planner.admitBegunOnly(true);",
        "rank.planner.admitBegunOnly(false);"),
    STOPPED_BEFORE_THE_LEAST_LENGTH("No stop token ends an answer before its least length.", Runs.DEPTH,
        "batch/Request.java",
        "generatedTokens > minNewTokens",
        "generatedTokens >= minNewTokens"),
    LATER_ROWS_OF_A_STOPPED_ANSWER("An answer that its client ends keeps no later rows.", Runs.DEPTH,
        "batch/Request.java",
        "            rows.cut(computedHighWater);",
        "            rows.cut(Integer.MAX_VALUE);"),
    COMBINE_WEIGHTS_WITHOUT_CHECKSUM("Rows that differ from the checksum of the backend are a fault of the step.",
        Runs.DEPTH,
        "scheduler/StepResults.java",
        "return checksum.of(rows, rowsOffset, length) == input.rowsChecksum() ?",
        "return capture.combineWeights() || checksum.of(rows, rowsOffset, length) == input.rowsChecksum() ?"),
    VICTIM_NOT_OF_THE_LOWEST_PRIORITY("The request of the lowest priority gives up its blocks.", Runs.DEPTH,
        "batch/BatchPlanner.java",
        "running.addByPriority(request);",
        "running.addLast(request);"),
    PREEMPTIONS_NOT_BOUNDED("No request is preempted more often than maxPreemptions.", Runs.DEPTH,
        "batch/Victims.java",
        ">= maxPreemptions",
        "> maxPreemptions"),
    PAGE_NOT_REPLACED_ON_HAND_OUT("Rows of a finished request stay its own when its blocks are handed out again.",
        Runs.DEPTH,
        "experts/RequestRows.java",
        "        blockPages.replace(blockId, pageIds[index]);\n",
        ""),
    RESET_KEEPS_PREFIXES("The state folded from the events is that of the scheduler, after the reset of a rank too.",
        Runs.DEPTH,
        "state/StateFold.java",
        "                if (forgets)\n",
        "                if (forgets && reset.rank() < 0)\n"),
    BLOCKS_HELD_AFTER_REQUEUE("Live requests hold the blocks that the fold of a run counts.", Runs.DEPTH,
        "state/RunFold.java",
        "            rank.releaseAll(request);\n",
        ""),
    RETIRED_NOT_WRITTEN("A state that was written and read is the same state.", Runs.DEPTH,
        "state/StateDecoder.java",
        "        rank.retired.forEach(retired -> own(pool, retired.blocks()));\n",
        ""),
    WEIGHT_IGNORED("Within a priority, tenants share tokens in proportion to their weights.", Runs.FAIR,
        "batch/FairQueue.java",
        "return tokens * UNIT / weight[account];",
        "return tokens * UNIT;"),
    LATER_STEPS_BLAMED("Only a step alone counts against a request: a fault of another step does not.", Runs.INNOCENT,
        "scheduler/StepFailures.java",
        "rank.open.at(i).step() == step",
        "rank.open.at(i).step() >= step"),
    ROUTER_FORGOTTEN("A scheduler of an image decides as the scheduler that was written.", Runs.IMAGE,
        "scheduler/Scheduler.java",
        "            router.restore(state, ranks.length);\n",
        ""),
    SUSPECTS_NOT_SAVED("Suspects of a failed step are still suspects in a scheduler of an image.", Runs.IMAGE,
        "batch/Suspects.java",
        "        any = fields.flag(any);\n",
        "");

    /** A method of seeded runs, and how many it plays at most. */
    enum Runs
    {
        DEPTH(DepthRuns.class, 500),
        FAIR(FairShareRuns.class, 100),
        INNOCENT(InnocentRuns.class, 500),
        IMAGE(ImageRuns.class, 20);

        final Class<?> type;
        final int most;

        Runs(final Class<?> type, final int most)
        {
            this.type = type;
            this.most = most;
        }
    }

    final String contract;
    final Runs runs;
    final String file;
    /** Originals, each followed by its replacement. */
    final List<String> edits;

    SchedulerPlant(final String contract, final Runs runs, final String file, final String... edits)
    {
        this.contract = contract;
        this.runs = runs;
        this.file = file;
        this.edits = List.of(edits);
    }
}
