#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A rollout loop: conversations of two turns with log-probabilities and routed experts, then new weights, three times. A
turn gets only the rows that the trainer lacks. Usage: rollout_loop.py URL WEIGHTS_ROOT, with the keys, if any, in
SIGNALBOX_API_KEY and SIGNALBOX_ADMIN_KEY; start the server with --enable-return-routed-experts --weights-root WEIGHTS_ROOT"""
import base64
import json
import os
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy

URL, ROOT = sys.argv[1], Path(sys.argv[2])


def post(path, body, key="SIGNALBOX_API_KEY", **headers):
    headers["Authorization"] = "Bearer " + os.environ.get(key, "none")
    request = urllib.request.Request(URL + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def turn(session, tokens, known):
    """The tokens with an answer, and the rows of each but the last; `known` are the rows that the trainer has."""
    answer = post("/generate", {"input_ids": tokens, "return_logprob": True, "return_routed_experts": True,
                                "routed_experts_new_only": True, "sampling_params": {"max_new_tokens": 24}},
                  **{"X-Session-ID": session})
    meta = answer["meta_info"]
    start, tokens = meta["routed_experts_start_len"], tokens + answer["output_ids"]
    news = numpy.frombuffer(base64.b64decode(meta["routed_experts"]), "<i4").reshape(len(tokens) - 1 - start, -1)
    if start > len(known):
        raise ValueError(f"{session}: rows begin at {start}, and {len(known)} are known")
    rows = numpy.concatenate([known[:start], news]) if start else news
    return tokens, rows, len(news), meta


def rollout(name):
    tokens, rows, sent, first = turn(name, list(range(100, 140)), numpy.zeros((0, 1), "<i4"))
    tokens, rows, more, last = turn(name, tokens + [7, 8, 9], rows)
    return len(tokens), len(rows), sent + more, len(last["output_token_logprobs"]), last["weight_version"]


def train(step):
    """A trainer saves the weights that it computed; simulated ranks need a name only."""
    (ROOT / f"step-{step}").mkdir(exist_ok=True)


with ThreadPoolExecutor(8) as pool:
    for step in range(3):
        done = list(pool.map(rollout, [f"{step}-{number}" for number in range(16)]))
        assert all(tokens - 1 == rows == sent for tokens, rows, sent, _, _ in done), done
        print(f"step {step}: {len(done)} rollouts, {sum(rows for _, rows, _, _, _ in done)} rows, "
              f"weights {sorted({version for *_, version in done})}")
        train(step)
        post("/update_weights_from_disk", {"model_path": f"step-{step}", "weight_version": f"step-{step}",
                                           "way": "requeue"}, "SIGNALBOX_ADMIN_KEY")
