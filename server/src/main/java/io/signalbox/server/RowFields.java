// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import com.fasterxml.jackson.core.JsonGenerator;

import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Collectors;

/** The fields of requests and answers that concern routed experts. */
final class RowFields
{
    /** Whether the answer leaves out rows that its session has. */
    static final String NEW_ONLY = "routed_experts_new_only";
    private static final String HASHES = "routed_experts_block_hashes";

    private RowFields()
    {
    }

    /**
     * What a request asks for. Clients expect a row for each layer; only the envelope has MoE layers alone.
     *
     * @param usual form of the route.
     */
    static RowEncoding.Wanted of(final RequestFields fields, final RowEncoding.Form usual)
    {
        final int start = fields.whole("routed_experts_prompt_start", 0, Integer.MAX_VALUE, 0);
        final String formName = "routed_experts_form";
        final String text = fields.text(formName);
        final RowEncoding.Form form = text == null ? usual : RowEncoding.Form.of(text);
        if (form == null)
        {
            throw fields.refused(formName, Arrays.stream(RowEncoding.Form.values()).map(RowEncoding.Form::text)
                .collect(Collectors.joining(", ")));
        }
        final String layersName = "routed_experts_layers";
        final String layers = fields.text(layersName);
        if (layers != null && !layers.equals("all") && !layers.equals("moe"))
        {
            throw fields.refused(layersName, "all or moe");
        }
        return new RowEncoding.Wanted(start, form,
            layers == null ? form != RowEncoding.Form.ENVELOPE : layers.equals("all"), fields.flag(NEW_ONLY),
            fields.flag(HASHES));
    }

    /** As SGLang's requests name it; the form is SGLang's. */
    static RowEncoding.Wanted ofSglang(final RequestFields fields)
    {
        return new RowEncoding.Wanted(fields.whole("routed_experts_start_len", 0, Integer.MAX_VALUE, 0),
            RowEncoding.Form.RAW_INT32, true, fields.flag(NEW_ONLY), fields.flag(HASHES));
    }

    /** A block hash as text. */
    static String hex(final long hash)
    {
        return String.format("%016x", hash);
    }

    /** The rows of an answer that has ended; null if nothing of it was computed. */
    static void write(final JsonGenerator json, final ServedAnswer answer) throws IOException
    {
        if (answer.rows() == null)
        {
            json.writeNullField("routed_experts");
            return;
        }
        answer.rows().write(json);
        answer.rows().writeMeta(json, answer.blockHashes());
    }
}
