// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import java.util.List;

/** Defects of models: the contract that each breaks, the property that finds it, a source text and its replacement. */
enum ModelPlant
{
    TIE_TO_THE_HIGHER_ID("Of equal scores of experts, the lowest id is chosen.", Property.DEFINITIONS,
        "model/forward/ExpertChoice.java",
        "keys[i] > keys[best]",
        "keys[i] >= keys[best]"),
    FUSED_EXPERTS_SWAPPED("A checkpoint that was written is read with the same weights.", Property.CHECKPOINTS,
        "model/CheckpointTensors.java",
        "loaded, plain(tensor, index, rows, columns), progress)",
        "loaded, plain(tensor, count - 1 - index, rows, columns), progress)"),
    FP8_SCALES_TRANSPOSED("A packed weight has the value that its published format defines.", Property.FORMATS,
        "model/Fp8Weights.java",
        "scales.at(blockRow, blockColumn);",
        "scales.at(Math.min(blockColumn, blockRow), Math.min(blockRow, scales.columns() - 1));"),
    ROUNDING_OF_SOFTMAX_MISSING("In BF16, logits and experts are those of transformers.", Property.TRANSFORMERS,
        "model/forward/AttentionSoftmax.java",
        "precision.round(weights[position] / sum)",
        "weights[position] / sum"),
    ROPE_POSITION_OF_CHUNK("The bits of a token do not depend on the step in which it is computed.", Property.MIXTURES,
        "model/forward/AttentionPass.java",
        "final int position = batch.position(token);\n        final int q",
        "final int position = batch.position(token) - batch.position(0);\n        final int q"),
    KV_OF_THE_OTHER_RANK("A request has the same answer on any rank, alone and with others.", Property.ENGINES,
        "cpu/CpuSteps.java",
        "    private final PagedKv kv;\n",
        "    private static PagedKv shared;\n    private final PagedKv kv;\n",
        "kv = new PagedKv(plan, sizes.kvBlocks(), sizes.blockSizeTokens());",
        "shared = shared == null ? new PagedKv(plan, sizes.kvBlocks(), sizes.blockSizeTokens()) : shared;\n" +
            "        kv = shared;");

    /** A method of the properties, and how many seeds or runs it gets. */
    enum Property
    {
        DEFINITIONS("definitions", 300),
        CHECKPOINTS("checkpoints", 20),
        FORMATS("formats", 20),
        TRANSFORMERS("transformers", 1),
        MIXTURES("mixtures", 12),
        ENGINES("engines", 1);

        final String method;
        final int runs;

        Property(final String method, final int runs)
        {
            this.method = method;
            this.runs = runs;
        }
    }

    final String contract;
    final Property foundBy;
    final String file;
    /** Originals, each followed by its replacement. */
    final List<String> edits;

    ModelPlant(final String contract, final Property foundBy, final String file, final String... edits)
    {
        this.contract = contract;
        this.foundBy = foundBy;
        this.file = file;
        this.edits = List.of(edits);
    }
}
