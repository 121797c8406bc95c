// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import java.util.List;

/**
 * Defects of checkpoints, forward pass and CPU backend: the property that finds each, a text of a source file, and what
 * replaces it.
 */
enum ModelPlant
{
    ROPE_POSITION_OF_CHUNK(Property.MIXTURES, "model/forward/AttentionPass.java",
        "final int position = batch.position(token);\n        final int q",
        "final int position = batch.position(token) - batch.position(0);\n        final int q"),
    KEYS_ROTATED_BY_THE_NEXT_POSITION(Property.TRANSFORMERS, "model/forward/AttentionPass.java",
        "rope.rotate(keys, k + head * plan.headSize(), position);",
        "rope.rotate(keys, k + head * plan.headSize(), Math.max(0, position - 1));"),
    NEW_POSITIONS_OF_ROPE_FROM_ONE_ON(Property.MIXTURES, "model/forward/RopeTable.java",
        "for (int position = positions; position < grown; position++)",
        "for (int position = positions + 1; position < grown; position++)"),
    ROPE_PAIRS_OF_NEIGHBOURS(Property.TRANSFORMERS, "model/forward/AttentionPass.java",
        "rope.rotate(queries, q + head * plan.headSize(), position);",
        "rope.rotatePairs(queries, q + head * plan.headSize(), position, new float[plan.headSize()]);"),
    BLOCK_TABLE_ONE_OFF_IN_SCORES(Property.MIXTURES, "model/forward/AttentionPass.java",
        "products.one(kv.keys(layer, table[from / kv.blockSize()])",
        "products.one(kv.keys(layer, table[Math.max(0, from / kv.blockSize() - 1)])"),
    BLOCK_TABLE_ONE_OFF_IN_VALUES(Property.MIXTURES, "model/forward/AttentionPass.java",
        "kv.values(layer, table[position / kv.blockSize()])",
        "kv.values(layer, table[Math.max(0, position - 1) / kv.blockSize()])"),
    KV_HEAD_MODULO(Property.TRANSFORMERS, "model/forward/AttentionPass.java",
        "final int kvHead = head / (plan.heads() / plan.kvHeads());",
        "final int kvHead = head % plan.kvHeads();"),
    ONE_POSITION_TOO_FEW_SEEN(Property.TRANSFORMERS, "model/forward/AttentionPass.java",
        "final int positions = batch.position(token) + 1;",
        "final int positions = Math.max(1, batch.position(token));"),
    CHUNK_SEEN_TO_ITS_END(Property.MIXTURES, "model/forward/AttentionPass.java",
        "final int positions = batch.position(token) + 1;",
        "final int positions = batch.position(token + 1 < batch.count() && " +
            "batch.table(token) == batch.table(token + 1) ? token + 1 : token) + 1;"),
    SEGMENTS_BY_THREADS(Property.MIXTURES, "model/forward/AttentionPass.java",
        "segment += SEGMENT", "segment += SEGMENT / linear.team().size()",
        "Math.min(positions, segment + SEGMENT)", "Math.min(positions, segment + SEGMENT / linear.team().size())"),
    CLIPPING_OF_VALUES_DROPPED(Property.TRANSFORMERS, "model/forward/AttentionPass.java",
        "            clip(values, v, plan.valueWidth());\n",
        ""),
    NORM_OF_KEYS_DROPPED(Property.TRANSFORMERS, "model/forward/AttentionPass.java",
        "            norm(keys, k, plan.kvHeads(), weights.keyNorm(), lanes);\n",
        ""),
    ROUNDING_OF_SCORES_MISSING(Property.TRANSFORMERS, "model/forward/AttentionPass.java",
        "precision.round(precision.round(score[position]) * scale)",
        "precision.round(score[position] * scale)"),
    ROUNDING_OF_SOFTMAX_MISSING(Property.TRANSFORMERS, "model/forward/AttentionPass.java",
        "        precision.round(score, 0, positions);\n",
        ""),
    ROUNDING_WITHIN_THE_NORM_MISSING(Property.TRANSFORMERS, "model/forward/RmsNorm.java",
        "weights[i] * precision.round(in[x + i] * factor)",
        "weights[i] * (in[x + i] * factor)"),
    EPSILON_OF_THE_NORM_DROPPED(Property.TRANSFORMERS, "model/forward/RmsNorm.java",
        "FloatMath.reciprocalRoot(mean + epsilon)",
        "FloatMath.reciprocalRoot(mean)"),
    ROUNDING_OF_COSINES_MISSING(Property.TRANSFORMERS, "model/forward/RopeTable.java",
        "precision.round((float)StrictMath.cos(angle))",
        "(float)StrictMath.cos(angle)"),
    ROUNDING_OF_SILU_MISSING(Property.TRANSFORMERS, "model/forward/MlpPass.java",
        "precision.round(precision.round(FloatMath.silu(gates[i])) * others[i])",
        "precision.round(FloatMath.silu(gates[i]) * others[i])"),
    VECTORS_OF_A_TILE_BACKWARDS(Property.MIXTURES, "model/forward/Matrix.java",
        "products.y[k] = (i + k) * rows + row;",
        "products.y[k] = (i + taken - 1 - k) * rows + row;"),
    ORDER_OF_A_TILE_IGNORED(Property.MIXTURES, "model/forward/Matrix.java",
        "(order == null ? i + k : order[i + k]) * columns",
        "(order == null ? i + k : order[i] + k) * columns"),
    TIE_TO_THE_HIGHER_ID(Property.DEFINITIONS, "model/forward/ExpertChoice.java",
        "keys[i] > keys[best]",
        "keys[i] >= keys[best]"),
    WEIGHTS_WITH_BIAS(Property.DEFINITIONS, "model/forward/ExpertChoice.java",
        "weights[to + k] = scores[best];",
        "weights[to + k] = keys[best];"),
    CHOSEN_BEHIND_RENORMALISATION(Property.TRANSFORMERS, "model/forward/ExpertChoice.java",
        "        if (plan.renormalise())\n",
        "        if (!plan.renormalise())\n"),
    GROUP_OF_ONE_EXPERT(Property.DEFINITIONS, "model/forward/ExpertChoice.java",
        "sums[group] = most + keys[best(group * size, (group + 1) * size)];",
        "sums[group] = most;"),
    EXPERTS_OF_THE_STEP_BEFORE(Property.MIXTURES, "model/forward/ExpertsPass.java",
        "        Arrays.fill(starts, 0);\n",
        ""),
    WEIGHTS_OF_TWO_EXPERTS_SWAPPED(Property.TRANSFORMERS, "model/forward/ExpertsPass.java",
        "final float weight = weights[token * plan.topK() + k];",
        "final float weight = weights[token * plan.topK() + plan.topK() - 1 - k];"),
    TOKEN_OF_A_PAIR_AS_INPUT_OF_DOWN(Property.TRANSFORMERS, "model/forward/ExpertsPass.java",
        "rows(layer.experts().get(expert).down(), task % downTasks, expert, worker, inner, false, outer);",
        "rows(layer.experts().get(active[0]).down(), task % downTasks, expert, worker, inner, false, outer);"),
    TOP_P_KEEPS_ONE_MORE(Property.DEFINITIONS, "model/forward/TokenSampler.java",
        "mass < (double)choice.topP() * all",
        "mass <= (double)choice.topP() * all"),
    LAST_OF_EQUAL_LOGITS(Property.DEFINITIONS, "model/forward/TokenSampler.java",
        "values[at + i] > values[at + best]",
        "values[at + i] >= values[at + best]"),
    SEED_IGNORED(Property.DEFINITIONS, "model/forward/TokenSampler.java",
        "mix(mix(seed) + GOLDEN_GAMMA",
        "mix(mix(0) + GOLDEN_GAMMA"),
    COPIED_BLOCK_ONE_TOKEN_SHORT(Property.ENGINES, "model/forward/PagedKv.java",
        "keys[layer][to], 0, tokens * keyWidth);",
        "keys[layer][to], 0, (tokens - 1) * keyWidth);"),
    KV_OF_THE_OTHER_RANK(Property.ENGINES, "cpu/CpuSteps.java",
        "    private final PagedKv kv;\n",
        "    private static PagedKv shared;\n    private final PagedKv kv;\n",
        "kv = new PagedKv(model.plan(), sizes.kvBlocks(), sizes.blockSizeTokens());",
        "shared = shared == null ? new PagedKv(model.plan(), sizes.kvBlocks(), sizes.blockSizeTokens()) : shared;\n" +
            "        kv = shared;"),
    SAMPLED_BY_PLACE_IN_THE_STEP(Property.ENGINES, "cpu/CpuSteps.java",
        "entry.choice(), start + fed + 1);",
        "entry.choice(), first + fed + 1);"),
    WRONG_DRAFT_ACCEPTED(Property.ENGINES, "cpu/CpuSteps.java",
        "guess(entry, start, entry.firstSampled() + accepted) == token)",
        "guess(entry, start, entry.firstSampled() + accepted) != token)"),
    NEXT_START_BEHIND_ALL_DRAFTS(Property.ENGINES, "cpu/CpuSteps.java",
        "entry.computed(starts[i]) - most + accepted;",
        "entry.computed(starts[i]);"),
    END_OF_LATE_ENTRIES_IGNORED(Property.ENGINES, "cpu/CpuStepPlan.java",
        "Math.max(0, Math.min(count, end - from))",
        "count"),
    POSITION_SKIPPED_BEHIND_A_PREFIX_HIT(Property.ENGINES, "cpu/CpuSteps.java",
        "before == null ? entry.hostTokens()[token] :",
        "before == null ? entry.hostTokens()[token == 0 && starts[i] > 0 && entry.computed(starts[i]) > 1 ? 1 : token] :"),
    TOKEN_OF_ANOTHER_ENTRY_CONTINUED(Property.ENGINES, "cpu/CpuSteps.java",
        "before.tokens[entry.backEntry()] :",
        "before.tokens[0] :"),
    LOGITS_OF_ANOTHER_ENTRY(Property.ENGINES, "cpu/CpuSteps.java",
        "final int logits = (first + accepted) * vocabulary;",
        "final int logits = (first + accepted) / 2 * 2 * vocabulary;"),
    OFFSETS_WITHOUT_THE_LENGTH(Property.CHECKPOINTS, "model/SafetensorsHeader.java",
        "dataBegin = Long.BYTES + bytes;",
        "dataBegin = bytes;"),
    OFFSET_OF_THE_HEADER_IGNORED(Property.CHECKPOINTS, "model/CheckpointTensors.java",
        ".bytes(tensor.begin() + (long)index * count, count);",
        ".bytes(Math.max(0, tensor.begin() - 8 + (long)index * count), count);"),
    FUSED_EXPERTS_SWAPPED(Property.CHECKPOINTS, "model/CheckpointTensors.java",
        "loaded, plain(tensor, index, rows, columns), progress)",
        "loaded, plain(tensor, count - 1 - index, rows, columns), progress)"),
    SUBNORMAL_FLOAT16_LOST(Property.TRANSFORMERS, "model/FloatFormat.java",
        "fraction * 0x1p-24f",
        "0.0f"),
    FLOAT32_TENSORS_ROUNDED_IN_EVERY_PRECISION(Property.TRANSFORMERS, "model/CheckpointTensors.java",
        "new MappedMatrix(name, rows, columns, WeightType.F32, new Fp8Weights",
        "new MappedMatrix(name, rows, columns, type, new Fp8Weights"),
    FP8_SCALES_DIVIDE(Property.FORMATS, "model/Fp8Weights.java",
        "VALUES[bytes.get(from + column) & 0xff] * scale;",
        "VALUES[bytes.get(from + column) & 0xff] / scale;"),
    FP8_SCALES_TRANSPOSED(Property.FORMATS, "model/Fp8Weights.java",
        "scales.at(blockRow, blockColumn);",
        "scales.at(Math.min(blockColumn, blockRow), Math.min(blockRow, scales.columns() - 1));"),
    FP8_BLOCKS_OF_EQUAL_PARTS(Property.FORMATS, "model/CheckpointTensors.java",
        "new Fp8Weights(name, columns, quantization,",
        "new Fp8Weights(name, columns, new Quantization(Quantization.Method.FP8, " +
            "(int)((rows + shape[0] - 1) / shape[0]), (int)((columns + shape[1] - 1) / shape[1])),"),
    MXFP4_UPPER_BITS_FIRST(Property.FORMATS, "model/Mxfp4Weights.java",
        "input % 2 == 0 ? pair",
        "input % 2 != 0 ? pair"),
    MXFP4_SCALE_OF_THE_NEXT_BLOCK(Property.FORMATS, "model/Mxfp4Weights.java",
        "scales.get(block)",
        "scales.get((block + 1) % scales.limit())"),
    MXFP4_BIAS_OF_128(Property.FORMATS, "model/Mxfp4Weights.java",
        "BIAS = 127;",
        "BIAS = 128;"),
    GATE_AND_UP_SWAPPED(Property.CHECKPOINTS, "model/ModelAssembly.java",
        "gateUp.get(expert).part(0, width), gateUp.get(expert).part(width, width)",
        "gateUp.get(expert).part(width, width), gateUp.get(expert).part(0, width)"),
    HEAD_OF_UNTIED_EMBEDDINGS(Property.TRANSFORMERS, "model/ModelAssembly.java",
        "source.matrix(\"lm_head.weight\", plan.vocabulary(), hidden);",
        "source.matrix(\"lm_head.weight\", plan.vocabulary(), hidden) == null ? null : embedding;");

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

    final Property foundBy;
    final String file;
    /** Originals, each followed by its replacement. */
    final List<String> edits;

    ModelPlant(final Property foundBy, final String file, final String... edits)
    {
        this.foundBy = foundBy;
        this.file = file;
        this.edits = List.of(edits);
    }
}
