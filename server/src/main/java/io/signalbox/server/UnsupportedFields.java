// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Fields that clients of other servers send and this one does not support. A value that changes nothing is accepted: clients
 * send the default of a field too.
 */
final class UnsupportedFields
{
    private static final List<Object> EMPTY = List.of(false, 0L, 0.0, "", List.of(), Map.of());
    private static final List<Object> UNIT = List.of(1L, 1.0);

    /** Of OpenAI's API and of vLLM. */
    static final UnsupportedFields OF_VLLM = new UnsupportedFields(List.of("suffix", "echo", "logit_bias",
        "frequency_penalty", "presence_penalty", "min_p", "use_beam_search", "functions", "bad_words", "guided_json",
        "guided_regex", "guided_choice", "guided_grammar", "guided_decoding_backend", "guided_whitespace_pattern",
        "structured_outputs", "structural_tag", "audio", "prediction", "web_search_options", "allowed_token_ids",
        "logits_processors", "truncate_prompt_tokens", "chat_template", "continue_final_message", "reasoning_effort",
        "thinking_token_budget", "mm_processor_kwargs", "media_io_kwargs", "features", "kv_transfer_params", "vllm_xargs",
        "extra_args", "prompt_embeds", "return_tokens_as_token_ids", "background"))
        .with("best_of", List.of(1L)).with("repetition_penalty", UNIT).with("length_penalty", UNIT)
        .with("tool_choice", List.of("auto", "none")).with("function_call", List.of("auto", "none"))
        .with("response_format", List.of(Map.of("type", "text"))).with("modalities", List.of(List.of("text")))
        // 0 asks for the log-probability of each token of the prompt.
        .with("prompt_logprobs", List.of(false)).with("service_tier", List.of("auto", "default"))
        .with("store", List.of(false));

    /** Of SGLang. */
    static final UnsupportedFields OF_SGLANG = new UnsupportedFields(List.of("frequency_penalty", "presence_penalty",
        "min_p", "logit_bias", "json_schema", "regex", "ebnf", "structural_tag", "stop_regex", "custom_params",
        "custom_logit_processor", "image_data", "video_data", "audio_data", "modalities", "input_embeds", "lora_path",
        "session_params", "return_hidden_states", "top_logprobs_num", "token_ids_logprob", "bootstrap_host",
        "bootstrap_port", "bootstrap_room", "background"))
        .with("repetition_penalty", UNIT).with("logprob_start_len", List.of(-1L));

    /** Of SGLang's update of weights. Weights of two generations share no KV block, so the cache is always flushed. */
    static final UnsupportedFields OF_WEIGHTS = new UnsupportedFields(List.of("is_async", "keep_pause",
        "recapture_cuda_graph", "manifest")).with("flush_cache", List.of(true));

    private final Map<String, List<Object>> defaults = new HashMap<>();

    private UnsupportedFields(final List<String> emptyByDefault)
    {
        emptyByDefault.forEach(name -> defaults.put(name, EMPTY));
    }

    private UnsupportedFields with(final String name, final List<Object> changeNothing)
    {
        defaults.put(name, changeNothing);
        return this;
    }

    /** @throws ApiError that names a field whose value would change the answer. */
    void refuse(final RequestFields fields)
    {
        for (final Map.Entry<String, List<Object>> entry : defaults.entrySet())
        {
            final Object value = fields.get(entry.getKey());
            if (value != null && !entry.getValue().contains(value))
            {
                final String name = fields.nameOf(entry.getKey());
                throw ApiError.badRequest(name, "this server does not support " + name + "; leave it out" +
                    (entry.getValue().size() == 1 ? ", or give " + entry.getValue().get(0) : ""));
            }
        }
    }
}
