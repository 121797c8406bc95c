// SPDX-License-Identifier: Apache-2.0
// What a user of the openai package does, against the server at the address that is given; NODE_PATH has the package.
const assert = require('node:assert');
const OpenAI = require('openai').default ?? require('openai');

const client = new OpenAI({ baseURL: `${process.argv[2]}/v1`, apiKey: 'unused', maxRetries: 0 });
const messages = [{ role: 'user', content: 'Where does the train stop?' }];

async function refused(status, call)
{
    const error = await call.then(() => null, (reason) => reason);
    assert.strictEqual(error?.status, status, String(error));
    return error;
}

async function main()
{
    const models = await client.models.list();
    const model = models.data[0].id;

    const completion = await client.completions.create({ model, prompt: [1, 2, 3], max_tokens: 6, n: 2, seed: 1 });
    assert.strictEqual(completion.choices.length, 2);
    assert.strictEqual(completion.choices[1].finish_reason, 'length');
    assert.deepStrictEqual([completion.usage.prompt_tokens, completion.usage.completion_tokens], [3, 12]);

    const chat = await client.chat.completions.create({ model, messages, max_completion_tokens: 8, temperature: 0 });
    const text = chat.choices[0].message.content;
    const stopped = await client.chat.completions.create(
        { model, messages, max_completion_tokens: 8, temperature: 0, stop: [text.slice(15, 20)] });
    assert.strictEqual(stopped.choices[0].message.content, text.slice(0, 15));
    assert.strictEqual(stopped.choices[0].finish_reason, 'stop');

    let streamed = '';
    let usage = null;
    const stream = await client.chat.completions.create({ model, messages, max_completion_tokens: 8, temperature: 0,
        stream: true, stream_options: { include_usage: true } });
    for await (const chunk of stream)
    {
        streamed += chunk.choices[0]?.delta?.content ?? '';
        usage = chunk.usage ?? usage;
    }
    assert.strictEqual(streamed, text);
    assert.strictEqual(usage.completion_tokens, 8);
    assert.ok(usage.prompt_tokens_details.cached_tokens >= 0);

    const error = await refused(400, client.completions.create({ model, prompt: 'a', echo: true }));
    assert.strictEqual(error.param, 'echo');
    await refused(404, client.completions.create({ model: 'another', prompt: 'a' }));

    const long = await client.completions.create({ model, prompt: 'a', max_tokens: 4000, stream: true });
    let chunks = 0;
    for await (const chunk of long)
    {
        chunks += chunk.choices.length;
        if (chunks === 3)
        {
            long.controller.abort();
        }
    }
    assert.ok(chunks < 4000);
    console.log('done');
}

main().catch((error) =>
{
    console.error(error);
    process.exit(1);
});
