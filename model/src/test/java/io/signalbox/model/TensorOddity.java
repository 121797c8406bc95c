// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

/** A fault of the tensors, which their names tell. */
enum TensorOddity
{
    QUANTIZED("has quantized weights, such as 'model.layers.1.mlp.gate.weight_scale_inv'; use the checkpoint without " +
        "quantization.")
    {
        @Override
        void make(final HubDirectoryTest test)
        {
            test.put("model.layers.1.mlp.gate.weight_scale_inv", "F32", 1, 1);
        }
    },
    FP8("has the tensor 'model.layers.1.mlp.gate.weight' as F8_E4M3 [4, 8], and its config.json has no " +
        "'quantization_config' of the method fp8 that says how to unpack it; copy config.json and the safetensors files " +
        "of one checkpoint into the directory.")
    {
        @Override
        void make(final HubDirectoryTest test)
        {
            test.put(HubDirectoryTest.ROUTER, "F8_E4M3", 4, 8);
        }
    },
    FLOAT64("has the tensor 'model.layers.1.mlp.gate.weight' as F64 [4, 8], and only F32, BF16 and F16 are read; convert " +
        "the checkpoint to bfloat16 or float32.")
    {
        @Override
        void make(final HubDirectoryTest test)
        {
            test.put(HubDirectoryTest.ROUTER, "F64", 4, 8);
        }
    },
    PACKED("has the quantized tensor 'model.layers.1.mlp.gate.qweight' and no 'model.layers.1.mlp.gate.weight'; use " +
        "the checkpoint without quantization.")
    {
        @Override
        void make(final HubDirectoryTest test)
        {
            test.written.tensors.remove(HubDirectoryTest.ROUTER);
            test.put("model.layers.1.mlp.gate.qweight", "U8", 4, 8);
        }
    },
    ADAPTER("has tensors of an adapter, such as 'base_model.model.layers.0.self_attn.q_proj.lora_A.weight'; merge the " +
        "adapter into its model and save the whole model.")
    {
        @Override
        void make(final HubDirectoryTest test)
        {
            test.put("base_model.model.layers.0.self_attn.q_proj.lora_A.weight", "BF16", 1, 8);
        }
    },
    BIAS("has the tensor 'model.layers.0.self_attn.q_proj.bias', and its config.json has no 'attention_bias' that is " +
        "true; set 'attention_bias' to true in config.json if the model has these biases.")
    {
        @Override
        void make(final HubDirectoryTest test)
        {
            test.put("model.layers.0.self_attn.q_proj.bias", "BF16", 8);
        }
    },
    SINKS("has the tensor 'model.layers.0.self_attn.sinks' of an attention that is not supported; use a checkpoint " +
        "without it.")
    {
        @Override
        void make(final HubDirectoryTest test)
        {
            test.put("model.layers.0.self_attn.sinks", "BF16", 2);
        }
    },
    RENAMED("has no tensor 'model.embed_tokens.weight' but 'language_model.model.embed_tokens.weight', a name that " +
        "transformers does not give it; save the model with transformers.")
    {
        @Override
        void make(final HubDirectoryTest test)
        {
            test.written.tensors.remove("model.embed_tokens.weight");
            test.put("language_model.model.embed_tokens.weight", "BF16", 16, 8);
        }
    },
    BLOCKS("has the quantized tensor 'model.layers.1.mlp.experts.gate_up_proj_blocks' and no " +
        "'model.layers.1.mlp.experts.0.gate_proj.weight'; use the checkpoint without quantization.")
    {
        @Override
        void make(final HubDirectoryTest test)
        {
            test.written.tensors.keySet().removeIf(name -> name.contains(".experts."));
            test.put("model.layers.1.mlp.experts.gate_up_proj_blocks", "U8", 4, 12, 8);
        }
    },
    ORIGINAL("has no tensor 'model.embed_tokens.weight' but 'layers.0.attention.wq.weight', a name that transformers " +
        "does not give it; save the model with transformers.")
    {
        @Override
        void make(final HubDirectoryTest test)
        {
            test.written.tensors.clear();
            test.put("layers.0.attention.wq.weight", "BF16", 8, 8);
            test.put("tok_embeddings.weight", "BF16", 16, 8);
        }
    },
    NO_HEAD("has no tensor 'lm_head.weight', which its config.json asks for; set 'tie_word_embeddings' to true in " +
        "config.json if the embedding is its head, or copy config.json and the safetensors files of one checkpoint " +
        "into the directory.")
    {
        @Override
        void make(final HubDirectoryTest test)
        {
            test.written.tensors.remove("lm_head.weight");
        }
    },
    OTHER_SHAPE("has the tensor 'lm_head.weight' as BF16 [17, 8], and its config.json asks for [16, 8]; copy " +
        "config.json and the safetensors files of one checkpoint into the directory.")
    {
        @Override
        void make(final HubDirectoryTest test)
        {
            test.put("lm_head.weight", "BF16", 17, 8);
        }
    };

    private final String sentence;

    TensorOddity(final String sentence)
    {
        this.sentence = sentence;
    }

    String sentence()
    {
        return sentence;
    }

    abstract void make(HubDirectoryTest test);
}
