// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.ConfigException;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.engine.WeightSwap;
import io.signalbox.server.http.BoundedWait;
import io.signalbox.server.http.HttpReply;
import io.signalbox.server.http.HttpRequest;
import io.signalbox.server.weights.WeightsRoot;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/** SGLang's routes with which a trainer replaces the weights. One update runs at a time, in a thread of its own. */
final class WeightRoutes implements AutoCloseable
{
    private static final int OK = 200;
    private static final int MAX_LABEL = 128;
    private static final long MOST_WAIT_MILLIS = TimeUnit.HOURS.toMillis(1);
    private static final String PATH = "model_path";
    private static final String LABEL = "weight_version";
    private static final String WAY = "way";
    private static final List<String> FORMATS = List.of("auto", "safetensors");

    private final SignalboxEngine engine;
    private final ServerConfig config;
    private final AtomicBoolean updating = new AtomicBoolean();
    private final ExecutorService updates = Executors.newSingleThreadExecutor(work ->
    {
        final Thread thread = new Thread(work, "signalbox-new-weights");
        thread.setDaemon(true);
        return thread;
    });
    /** Of the weights that came last. */
    private volatile Named last = new Named(0, null);
    /** Of the weights that were announced last. */
    private volatile Named next = last;
    private volatile boolean closed;

    /**
     * The name that a trainer gave to weights.
     *
     * @param label {@code null}: the number of the generation.
     */
    private record Named(int generation, String label)
    {
    }

    WeightRoutes(final SignalboxEngine engine, final ServerConfig config)
    {
        this.engine = engine;
        this.config = config;
    }

    /** The version of the current weights: the name that a trainer gave, or the number of the generation. */
    String version()
    {
        final int generation = engine.weightGeneration();
        final Named announced = next;
        final Named named = announced.generation() == generation ? announced : last;
        return named.generation() == generation && named.label() != null ? named.label() : Integer.toString(generation);
    }

    void version(final HttpRequest request, final HttpReply reply)
    {
        reply.send(OK, HttpReply.JSON, JsonBytes.of(json ->
        {
            json.writeStartObject();
            json.writeStringField(LABEL, version());
            json.writeEndObject();
        }));
    }

    /** Loads a checkpoint, and answers when later steps compute with it. */
    void update(final HttpRequest request, final HttpReply reply)
    {
        final WeightsRoot root = config.weightsRoot();
        if (root == null)
        {
            throw ApiError.of(ApiError.NOT_FOUND,
                "this server replaces no weights; start it with --weights-root, the directory of the checkpoints");
        }
        final RequestFields fields = RequestFields.parse(request.body());
        UnsupportedFields.OF_WEIGHTS.refuse(fields);
        final String path = fields.text(PATH);
        if (path == null)
        {
            throw ApiError.badRequest(PATH, PATH + " is absent; give the name of a checkpoint below --weights-root");
        }
        final String format = fields.text("load_format");
        if (format != null && !FORMATS.contains(format))
        {
            throw fields.refused("load_format", "auto or safetensors");
        }
        final String label = fields.text(LABEL);
        if (label != null && (label.length() > MAX_LABEL || !label.matches("[!-~]+")))
        {
            throw fields.refused(LABEL, "1 to " + MAX_LABEL + " printable ASCII characters without spaces");
        }
        final WeightSwap way = way(fields);
        if (!updating.compareAndSet(false, true))
        {
            throw ApiError.of(ApiError.TOO_MANY, "another update of the weights is under way; send this one after it");
        }
        updates.execute(() -> run(root, path, way, label, reply));
    }

    private static WeightSwap way(final RequestFields fields)
    {
        final String text = fields.text(WAY);
        final boolean aborts = fields.flag("abort_all_requests");
        if (text == null)
        {
            return aborts ? WeightSwap.ABORT : WeightSwap.DRAIN;
        }
        for (final WeightSwap way : WeightSwap.values())
        {
            if (name(way).equals(text) && (!aborts || way == WeightSwap.ABORT))
            {
                return way;
            }
        }
        throw fields.refused(WAY, Arrays.stream(WeightSwap.values()).map(WeightRoutes::name)
            .collect(Collectors.joining(", ")) + "; only abort goes with abort_all_requests");
    }

    private static String name(final WeightSwap way)
    {
        return way.name().toLowerCase(Locale.ROOT);
    }

    private void run(
        final WeightsRoot root, final String path, final WeightSwap way, final String label, final HttpReply reply)
    {
        try
        {
            final String version = root.prepare(path);
            final CompletableFuture<Integer> stage = announce(way, version, label);
            final Named announced = next;
            BoundedWait.until(() -> has(announced) || stage.isCompletedExceptionally() || closed ||
                engine.failure().isPresent(), MOST_WAIT_MILLIS);
            if (stage.isCompletedExceptionally())
            {
                result(reply, ApiError.UNAVAILABLE, stage.handle((done, cause) -> cause).join().getMessage());
                return;
            }
            if (!has(announced))
            {
                result(reply, ApiError.UNAVAILABLE,
                    "the weights were announced and have not come; they come when the requests that have begun have ended");
                return;
            }
            last = announced;
            result(reply, OK, "Succeeded to update model weights.");
        }
        catch (final ConfigException | IllegalArgumentException e)
        {
            result(reply, ApiError.BAD_REQUEST, e.getMessage());
        }
        catch (final IllegalStateException e)
        {
            result(reply, ApiError.UNAVAILABLE, e.getMessage());
        }
        catch (final RuntimeException | Error e)
        {
            result(reply, ApiError.INTERNAL, "the weights were not replaced: " + e.getMessage());
        }
    }

    private boolean has(final Named announced)
    {
        return engine.weightGeneration() >= announced.generation();
    }

    /** Takes the name before the engine has the weights. So no answer that they gave has another name. */
    private CompletableFuture<Integer> announce(final WeightSwap way, final String version, final String label)
    {
        final Named former = next;
        // Weights that were announced earlier may still be awaited.
        next = new Named(Math.max(engine.weightGeneration(), former.generation()) + 1, label);
        boolean isAnnounced = false;
        try
        {
            final CompletableFuture<Integer> stage = engine.newWeights(way, version).toCompletableFuture();
            isAnnounced = !stage.isCompletedExceptionally();
            return stage;
        }
        finally
        {
            next = isAnnounced ? next : former;
        }
    }

    /** As SGLang answers, refusals included. */
    private void result(final HttpReply reply, final int status, final String message)
    {
        // The client may send the next update as soon as it has the answer.
        updating.set(false);
        reply.send(status, HttpReply.JSON, JsonBytes.of(json ->
        {
            json.writeStartObject();
            json.writeBooleanField("success", status == OK);
            json.writeStringField("message", message);
            json.writeNumberField("num_paused_requests", 0);
            json.writeStringField(LABEL, version());
            json.writeNumberField("weight_generation", engine.weightGeneration());
            json.writeEndObject();
        }));
    }

    @Override
    public void close()
    {
        closed = true;
        updates.shutdown();
    }
}
