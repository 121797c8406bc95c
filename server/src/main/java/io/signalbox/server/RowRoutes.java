// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.server.http.HttpReply;
import io.signalbox.server.http.HttpRequest;

/** {@code GET /signalbox/routed_experts/HASH}: the rows of one full KV block. */
final class RowRoutes
{
    static final String PREFIX = "/signalbox/routed_experts/";

    private static final int OK = 200;
    private static final int HEX = 16;

    private final RowBlocks blocks;
    private final int hiddenLayers;

    RowRoutes(final RowBlocks blocks, final int hiddenLayers)
    {
        this.blocks = blocks;
        this.hiddenLayers = hiddenLayers;
    }

    void block(final HttpRequest request, final HttpReply reply)
    {
        final String text = request.path().substring(PREFIX.length());
        if (!text.matches("[0-9a-f]{1,16}"))
        {
            throw ApiError.badRequest(null, "the path does not end with the hash of a KV block; give up to 16 hexadecimal " +
                "digits, such as one of routed_experts_meta.block_hashes");
        }
        final RowEncoding.Wanted wanted = RowFields.of(RequestFields.ofQuery(request.query()), RowEncoding.Form.NPY);
        final long hash = Long.parseUnsignedLong(text, HEX);
        final RowBlocks.Block block = blocks.find(hash);
        if (block == null)
        {
            throw ApiError.of(ApiError.NOT_FOUND, "no rows of the KV block " + text + " are kept; ask for them in a " +
                "request with routed_experts_prompt_start, or raise --routed-experts-cache-bytes");
        }
        final RowEncoding rows =
            new RowEncoding(block.rows(), block.first(), blocks.blockSizeTokens(), wanted, hiddenLayers);
        reply.send(OK, HttpReply.JSON, JsonBytes.of(json ->
        {
            json.writeStartObject();
            json.writeStringField("block_hash", RowFields.hex(hash));
            json.writeNumberField("block_size", blocks.blockSizeTokens());
            rows.write(json);
            rows.writeMeta(json, null);
            json.writeEndObject();
        }));
    }
}
