// Recorded streams of chat completions, shortened: each dialect and each way to end that occurs.

const events = (...payloads: unknown[]): string => payloads.map((payload) => `data: ${typeof payload === 'string' ? payload : JSON.stringify(payload)}\n\n`).join('')
const said = (delta: unknown, more: Record<string, unknown> = {}): Record<string, unknown> => ({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm', choices: [{ index: 0, delta, finish_reason: null }], ...more })
const over = (reason: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm', choices: [{ index: 0, delta: {}, finish_reason: reason }], ...more })
const calls = (...pieces: unknown[]): Record<string, unknown> => said({ tool_calls: pieces })

/** Name, bytes, and whether the connection breaks at their end. */
export const recordedStreams: Array<[string, string, boolean]> = [
  ['a plain answer with usage', events(said({ role: 'assistant', content: '', refusal: null }), said({ content: 'Hello' }), said({ content: ' wörld 😀' }), over('stop'), { id: 'chatcmpl-1', created: 1_700_000_000, model: 'm', choices: [], usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21, prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 }, completion_tokens_details: { reasoning_tokens: 2, accepted_prediction_tokens: 1, rejected_prediction_tokens: 0 } } }, '[DONE]'), false],
  ['usage in every event, comments in between', `: OPENROUTER PROCESSING\n\n${events(said({ role: 'assistant', content: 'a' }, { provider: 'X', usage: null }))}: OPENROUTER PROCESSING\n\n${events(said({ content: 'b' }, { usage: { prompt_tokens: 1, completion_tokens: 1 } }), over('stop', { usage: { prompt_tokens: 1, completion_tokens: 2, cost: 0.001 } }), '[DONE]')}`, false],
  ['thoughts before the answer', events(said({ role: 'assistant', content: null, reasoning_content: 'Let me' }), said({ content: null, reasoning_content: ' see.' }), said({ content: 'It is 4.', reasoning_content: null }), over('stop'), '[DONE]'), false],
  ['thoughts under the other name', events(said({ role: 'assistant', content: '', reasoning: 'Hm', reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }] }), said({ content: 'Yes' }), over('stop'), '[DONE]'), false],
  ['thoughts and text in turn', events(said({ reasoning: 'one' }), said({ content: 'two' }), said({ reasoning: 'three' }), said({ content: 'four', reasoning: 'five' }), over('length')), false],
  ['content in parts', events(said({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }), said({ content: [{ type: 'text', text: 'So' }, { type: 'reference', reference_ids: [1] }] }), over('stop')), false],
  ['calls in pieces', events(said({ role: 'assistant', content: null }), calls({ index: 0, id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '' } }), calls({ index: 0, function: { arguments: '{"pa' } }), calls({ index: 0, function: { arguments: 'th":"a"}' } }), calls({ index: 1, id: 'call_2', type: 'function', function: { name: 'read_file', arguments: '{}' } }), over('tool_calls'), '[DONE]'), false],
  ['calls that arrive whole', events(said({ role: 'assistant', content: '', tool_calls: [{ id: 'call_x', index: 0, type: 'function', function: { name: 'ls', arguments: '{"path":"."}' } }] }), over('tool_calls'), '[DONE]'), false],
  ['calls without a number, with a signature', events(calls({ id: 'f1', type: 'function', function: { name: 'a', arguments: '{}' }, extra_content: { google: { thought_signature: 'c2ln' } } }, { id: 'f2', function: { name: 'b', arguments: '{"x":[1]}' } }), over('stop')), false],
  ['calls without ids', events(calls({ index: 0, function: { name: 'a', arguments: '{"x"' } }), calls({ index: 0, function: { arguments: ':1}' } }), calls({ index: 1, function: { name: 'a', arguments: '{}' } }), over('tool_calls')), false],
  ['a name after its arguments', events(calls({ index: 0, id: 'c1', function: { arguments: '{"a":' } }), calls({ index: 0, function: { name: 'late', arguments: '1}' } }), over('tool_calls')), false],
  ['a name in every piece', events(calls({ index: 0, id: 'c1', function: { name: 'a', arguments: '{"a"' } }), calls({ index: 0, id: 'c1', function: { name: 'a', arguments: ':1}' } }), calls({ index: 0, id: 'c2', function: { name: 'a', arguments: '{"b":2}' } }), over('tool_calls')), false],
  ['numbers out of order', events(calls({ index: 2, id: 'c', function: { name: 'c', arguments: '{}' } }), calls({ index: 0, id: 'a', function: { name: 'a', arguments: '{}' } }), over('tool_calls')), false],
  ['a call without a name', events(calls({ index: 0, id: 'c', function: { arguments: '{}' } }), over('tool_calls')), false],
  ['text, then calls', events(said({ content: 'I look.' }), calls({ index: 0, id: 'c', function: { name: 'ls', arguments: '{}' } }), said({ content: ' More.' }), over('tool_calls')), false],
  ['lines that end as on Windows', events(said({ content: 'a' }), over('stop'), '[DONE]').replaceAll('\n', '\r\n'), false],
  ['an event of several lines', `data: {"choices":\ndata: [{"delta":{"content":"x"}}]}\n\n${events(over('stop'))}`, false],
  ['a mark at the beginning', `\uFEFF${events(said({ content: 'a' }), over('stop'))}`, false],
  ['an error in the middle', events(said({ content: 'I be' }), { error: { message: 'Provider returned error', code: 502, metadata: { raw: 'x' } } }), false],
  ['an error with choices', events(said({ content: 'a' }), { ...over('error'), error: { code: 'server_error', message: 'boom' } }), false],
  ['an error that is a text', events({ error: 'overloaded' }), false],
  ['no room for the prompt', events({ error: { message: 'maximum context length is 8192 tokens', type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' } }), false],
  ['no JSON', 'data: this is no JSON {{{\n\n', false],
  ['fields of another kind', events(said({ content: 5 })), false],
  ['an end without a reason', events(said({ content: 'a' }), '[DONE]'), false],
  ['an end in the middle of an event', `${events(said({ content: 'a' }), over('stop'))}data: {"choices":[{"del`, false],
  ['a connection that breaks', events(said({ content: 'This breaks' }), said({ content: ' off' })), true],
  ['a connection that breaks after the end', events(said({ content: 'a' }), over('stop'), '[DONE]'), true],
  ['nothing at all', '', false],
  ['JSON in the place of a stream', JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }] }), false],
  ['a refusal', events(said({ role: 'assistant', content: null, refusal: 'I cannot' }), { ...over('stop'), choices: [{ index: 0, delta: { refusal: ' do that.' }, finish_reason: 'stop' }] }, '[DONE]'), false],
  ['an answer and no refusal', events(said({ content: 'a', refusal: false }), over('stop')), false],
  ['an event that says nothing before the first', events({ id: '', created: 0, model: '', choices: [] }, said({ content: 'a' }), over('stop')), false],
  ['an id that changes with a call still empty', events(calls({ index: 0, id: 'c1', function: { name: 'a', arguments: '' } }), calls({ index: 0, id: 'c2', function: { name: 'a', arguments: '' } }), calls({ index: 0, id: 'c2', function: { arguments: '{}' } }), over('tool_calls')), false],
  ['filtered', events(said({ content: 'a' }), over('content_filter')), false],
  ['an unknown reason', events(said({ content: 'a' }), over('eos_token')), false],
  ['a last event without its empty line', events(said({ content: 'a' }), over('stop')).trimEnd(), false],
  ['a failure in the place of a stream', JSON.stringify({ error: { message: 'Model m is not loaded', type: 'invalid_request_error' } }, null, 2), false],
  ['a failure that is a text in the place of a stream', '{"error":"model requires more system memory"}\n', false],
  ['a failure in a list in the place of a stream', '[{"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}]', false],
  ['a failure without a name around it', events({ object: 'error', message: 'The prompt holds no text', type: 'BadRequestError', code: 400 }), false],
  ['an event after the last one', `${events(said({ content: 'a' }), over('stop'), '[DONE]')}data: no JSON\n\n`, false]
]
