// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Fields of OpenAI's API and of vLLM that this server knows and does not support. A request with one is refused, unless
 * its value changes nothing: clients send defaults.
 */
final class UnsupportedFields
{
    private static final Set<String> EMPTY_IS_DEFAULT = Set.of("suffix", "echo", "logit_bias", "frequency_penalty",
        "presence_penalty", "min_p", "use_beam_search", "prompt_logprobs", "tools", "functions", "bad_words",
        "guided_json", "guided_regex", "guided_choice", "guided_grammar", "structured_outputs", "audio", "prediction",
        "web_search_options", "allowed_token_ids", "logits_processors", "truncate_prompt_tokens", "documents",
        "chat_template", "chat_template_kwargs", "continue_final_message", "include_stop_str_in_output", "reasoning_effort",
        "mm_processor_kwargs", "kv_transfer_params", "vllm_xargs", "prompt_embeds", "return_tokens_as_token_ids");
    /** Other values that change nothing. */
    private static final Map<String, List<Object>> DEFAULTS = defaults();

    private UnsupportedFields()
    {
    }

    private static Map<String, List<Object>> defaults()
    {
        final Map<String, List<Object>> defaults = new HashMap<>();
        EMPTY_IS_DEFAULT.forEach(name -> defaults.put(name, List.of(false, 0L, 0.0, "", List.of(), Map.of())));
        defaults.put("best_of", List.of(1L));
        defaults.put("repetition_penalty", List.of(1L, 1.0));
        defaults.put("length_penalty", List.of(1L, 1.0));
        defaults.put("tool_choice", List.of("none", "auto"));
        defaults.put("function_call", List.of("none", "auto"));
        defaults.put("response_format", List.of(Map.of("type", "text")));
        defaults.put("modalities", List.of(List.of("text")));
        defaults.put("skip_special_tokens", List.of(true));
        defaults.put("add_generation_prompt", List.of(true));
        defaults.put("service_tier", List.of("auto", "default"));
        defaults.put("store", List.of(false));
        return defaults;
    }

    /** @throws ApiError that names the first one whose value would change the answer. */
    static void refuse(final RequestFields fields)
    {
        for (final Map.Entry<String, List<Object>> entry : DEFAULTS.entrySet())
        {
            final Object value = fields.get(entry.getKey());
            if (value != null && !entry.getValue().contains(value))
            {
                throw ApiError.badRequest(entry.getKey(), "this server does not support " + entry.getKey() +
                    "; leave it out" + (entry.getValue().size() == 1 ? ", or give " + entry.getValue().get(0) : ""));
            }
        }
    }
}
