// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.function.Consumer;

/** A fault of the packed tensor {@code X} or of its scales {@code S}. */
enum PackedFault
{
    NO_SCALES("has the tensor 'X' as F8_E4M3 [6, 8] and no 'S' with its scales; copy config.json",
        test -> test.written.tensors.remove(PackedWeightsTest.SCALES)),
    NO_WEIGHTS("has no tensor 'X', which its config.json asks for; copy config.json",
        test -> test.written.tensors.remove(PackedWeightsTest.TENSOR)),
    SCALES_OF_OTHER("has the scales 'S' of a tensor in F8_E4M3, and 'X' as BF16 [6, 8]; copy config.json",
        test -> test.put(PackedWeightsTest.TENSOR, "BF16", 96, 6, 8)),
    OTHER_SHAPE("has the tensor 'X' as F8_E4M3 [8, 6], and its config.json asks for [6, 8]; copy config.json",
        test -> test.put(PackedWeightsTest.TENSOR, "F8_E4M3", 48, 8, 6)),
    /** By the shapes alone, the blocks would be 3 x 4. */
    OTHER_BLOCKS("has the tensor 'S' as F32 [2, 2], and its config.json asks for [2, 3]; copy config.json",
        test -> test.put(PackedWeightsTest.SCALES, "F32", 16, 2, 2)),
    TRANSPOSED("has the tensor 'S' as F32 [3, 2], and its config.json asks for [2, 3]; copy config.json",
        test -> test.put(PackedWeightsTest.SCALES, "F32", 24, 3, 2)),
    SCALES_IN_BYTES("has the tensor 'S' as U8 [2, 3], and only F32, BF16 and F16 are read; use the checkpoint without",
        test -> test.put(PackedWeightsTest.SCALES, "U8", 6, 2, 3)),
    SCALES_OF_A_NORM("has 1 tensors that its config.json does not ask for, such as 'model.norm.weight_scale_inv'; copy",
        test -> test.put("model.norm.weight_scale_inv", "F32", 4, 1)),
    OTHER_QUANTIZATION("has quantized weights, such as 'X.qzeros'; use the checkpoint without quantization",
        test -> test.put(PackedWeightsTest.TENSOR + ".qzeros", "I32", 4, 1));

    private final String sentence;
    private final Consumer<PackedWeightsTest> making;

    PackedFault(final String sentence, final Consumer<PackedWeightsTest> making)
    {
        this.making = making;
        this.sentence = sentence.replace("'X", "'" + PackedWeightsTest.TENSOR)
            .replace("'S'", "'" + PackedWeightsTest.SCALES + "'");
    }

    String sentence()
    {
        return sentence;
    }

    void make(final PackedWeightsTest test)
    {
        making.accept(test);
    }
}
