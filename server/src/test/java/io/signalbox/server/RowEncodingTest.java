// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.experts.BlockPages;
import io.signalbox.experts.CapturedRows;
import io.signalbox.experts.ExpertIdType;
import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RequestRows;
import io.signalbox.experts.RoutedExpertPages;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.server.RowEncoding.Form;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The forms of four rows, of which the third is missing, byte by byte. */
class RowEncodingTest
{
    private static final int HIDDEN_LAYERS = 3;
    private static final ModelShape SHAPE = new ModelShape(2, 300, 2).withLayerIds(List.of(0, 2));

    private static RoutedExperts rows()
    {
        final RoutedExpertPages pages = new RoutedExpertPages(SHAPE, 4);
        final BlockPages blocks = new BlockPages(pages, 4);
        final RequestRows request = new RequestRows(pages);
        request.allocated(0, 1, blocks, 0, 0);
        final short[] ids = {1, 2, 3, 4, 5, 6, 7, 299, 0, 1, 127, 2};
        final ByteBuffer bytes = ByteBuffer.allocate(2 * ids.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asShortBuffer().put(ids);
        blocks.storeRoutingPerBlock(new int[] {1, 1, 1}, new int[] {0, 1, 3}, 3,
            new CapturedRows().wrap(new UnsafeBuffer(bytes), 0, 3, ExpertIdType.INT16));
        return request.copy(0, 4);
    }

    private static RequestFields written(final int count, final Form form, final boolean allLayers)
    {
        final RowEncoding encoding =
            new RowEncoding(
                rows(), 0, count, new RowEncoding.Wanted(0, form, allLayers, false, false), HIDDEN_LAYERS);
        return RequestFields.parse(JsonBytes.of(json ->
        {
            json.writeStartObject();
            encoding.write(json);
            encoding.writeMeta(json, null);
            json.writeEndObject();
        }));
    }

    private static String base64(final int width, final int... ids)
    {
        final ByteBuffer bytes = ByteBuffer.allocate(width * ids.length).order(ByteOrder.LITTLE_ENDIAN);
        for (final int id : ids)
        {
            switch (width)
            {
                case 1 -> bytes.put((byte)id);
                case 2 -> bytes.putShort((short)id);
                default -> bytes.putInt(id);
            }
        }
        return Base64.getEncoder().encodeToString(bytes.array());
    }

    private static void assertNpy(final String type, final int count, final int width, final int... ids)
    {
        final byte[] file = Base64.getDecoder().decode(written(count, Form.NPY, true).text("routed_experts"));
        final String header = new String(file, 10, 118, StandardCharsets.US_ASCII);
        assertEquals("{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + count + ", 3, 2), }", header.strip());
        assertTrue(header.endsWith("\n"));
        assertEquals(base64(width, ids),
            Base64.getEncoder().encodeToString(Arrays.copyOfRange(file, 128, file.length)));
    }

    @Test
    void shouldWriteFilesOfNumpyInTheCanonicalType()
    {
        assertNpy("|u1", 1, 1, 1, 2, 0, 0, 3, 4);
        assertNpy("<u2", 2, 2, 1, 2, 0, 0, 3, 4, 5, 6, 0, 0, 7, 299);
        assertNpy("<i4", 4, 4, 1, 2, 0, 0, 3, 4, 5, 6, 0, 0, 7, 299, -1, -1, -1, -1, -1, -1, 0, 1, 0, 0, 127, 2);
    }

    @Test
    void shouldWriteInt32WithoutAHeader()
    {
        assertEquals(base64(4, 1, 2, 0, 0, 3, 4), written(1, Form.RAW_INT32, true).text("routed_experts"));
        assertEquals(base64(4, 1, 2, 0, 0, 3, 4, 5, 6, 0, 0, 7, 299, -1, -1, -1, -1, -1, -1, 0, 1, 0, 0, 127, 2),
            written(4, Form.RAW_INT32, true).text("routed_experts"));
        assertEquals(base64(4, 1, 2, 3, 4, 5, 6, 7, 299, -1, -1, -1, -1),
            written(3, Form.RAW_INT32, false).text("routed_experts"));
    }

    @Test
    void shouldWriteObjectsThatHaveNoMissingRow()
    {
        final RequestFields one = written(1, Form.OBJECT, true).object("routed_experts");
        assertEquals("uint8", one.text("dtype"));
        assertEquals(List.of(1, 3, 2), Arrays.stream(one.wholes("shape")).boxed().toList());
        assertEquals(base64(1, 1, 2, 0, 0, 3, 4), one.text("data"));
        assertEquals("int16", written(2, Form.OBJECT, true).object("routed_experts").text("dtype"));
        final ApiError refused = assertThrows(ApiError.class, () -> written(3, Form.OBJECT, true));
        assertTrue(refused.getMessage().contains("1 of 3 rows"), refused.getMessage());
    }

    @Test
    void shouldWriteEnvelopesWithMinusOneForAMissingRow()
    {
        assertEquals("nrlre1:int8:1x2x2:" + base64(1, 1, 2, 3, 4),
            written(1, Form.ENVELOPE, false).text("routed_experts"));
        assertEquals("nrlre1:int16:4x2x2:" + base64(2, 1, 2, 3, 4, 5, 6, 7, 299, -1, -1, -1, -1, 0, 1, 127, 2),
            written(4, Form.ENVELOPE, false).text("routed_experts"));
    }

    @Test
    void shouldSayBesideTheRowsWhatTheFormDoesNot()
    {
        final RequestFields meta = written(4, Form.NPY, true).object("routed_experts_meta");
        assertEquals(3L, meta.get("captured"));
        assertEquals(0L, meta.get("inherited"));
        assertEquals(1L, meta.get("missing"));
        assertEquals(4L, meta.get("rows"));
        assertEquals(List.of(0, 2), Arrays.stream(meta.wholes("moe_layer_ids")).boxed().toList());
    }
}
