#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks a server for a completion and reads the routed experts of its tokens into numpy: those of MoE layers, padded to all
layers of the model. Uses the package openai if it is installed, else the standard library.
Usage: read_routed_experts.py http://127.0.0.1:8000, with the key, if any, in SIGNALBOX_API_KEY"""
import base64
import io
import json
import os
import sys
import urllib.request

import numpy

KEY = os.environ.get("SIGNALBOX_API_KEY", "none")


def complete(url, prompt, **fields):
    """The first choice of a completion. Fields that OpenAI's API does not have go into the body as they are."""
    body = {"prompt": prompt, "max_tokens": 16, "temperature": 0}
    try:
        import openai
    except ImportError:
        request = urllib.request.Request(url + "/v1/completions", json.dumps({**body, **fields}).encode(),
                                         {"Content-Type": "application/json", "Authorization": "Bearer " + KEY})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["choices"][0]
    client = openai.OpenAI(base_url=url + "/v1", api_key=KEY)
    model = client.models.list().data[0].id
    return client.completions.create(model=model, extra_body=fields, **body).model_dump()["choices"][0]


def rows(choice):
    """An array of rows, layers and experts; -1 in a row that is missing. A .npy file says its type and shape itself."""
    return numpy.load(io.BytesIO(base64.b64decode(choice["routed_experts"])))


def padded(of_moe_layers, layer_ids, layers):
    """Rows with all layers of the model: dense ones have zeros, missing rows stay -1."""
    count, _, top_k = of_moe_layers.shape
    array = numpy.zeros((count, layers, top_k), of_moe_layers.dtype)
    array[:, layer_ids] = of_moe_layers
    missing = (of_moe_layers == -1).all(axis=(1, 2))
    if missing.any():
        array[missing] = -1
    return array


def main(url):
    prompt = "Where does the train stop?"
    every_layer = rows(complete(url, prompt))
    choice = complete(url, prompt, routed_experts_layers="moe")
    meta = choice["routed_experts_meta"]
    array = padded(rows(choice), meta["moe_layer_ids"], every_layer.shape[1])
    print("rows, layers, experts:", array.shape, array.dtype)
    print("missing rows:", meta["missing"])
    print("as the server pads them:", numpy.array_equal(array, every_layer))


if __name__ == "__main__":
    main(sys.argv[1])
