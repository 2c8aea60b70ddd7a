import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from '#test'
import { start } from '../../support/app.js'
import { eventually, telling } from '../../support/chat.js'
import { seqs, tokenText } from '../../support/events.js'
import { scripted, startAgent, writeConfig } from '../../support/acp/agents.js'

t.test('a turn of an agent has the frames of any turn, in their order, and can be read again from anywhere', async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  const streamId = await service.send(session, 'think about it\nsay I look first.\nrun touch here\nsay That was all.')
  const reader = await service.watch(streamId)
  const card = await service.approve(session, 'once')
  await reader.ended
  t.match(card, { command: 'touch here', pattern_key: 'cmd:touch', folder: service.workspace, sandboxed: false })
  t.same(telling(reader.frames).filter((event) => event !== 'checkpoint' && event !== 'title'), ['reasoning', 'token', 'interim_assistant', 'tool', 'tool_complete', 'token', 'done', 'stream_end'])
  t.equal(reader.frames[0]!.event, 'checkpoint', 'what the folder held is kept before the agent may write')
  const { data: tool } = await reader.until('tool')
  const { data: complete } = await reader.until('tool_complete')
  t.match(tool, { name: 'terminal', preview: 'touch here', args: { command: 'touch here' } })
  t.match(complete, { id: tool.id, is_error: false, preview: 'the answer was yes' })
  const again = await service.watch(streamId, `&after_event_id=${encodeURIComponent(reader.frames[2]!.id!)}`)
  await again.ended
  t.same(again.frames, reader.frames.slice(3), 'a client that comes back gets the rest, once')
  t.same(seqs(reader.frames), seqs(reader.frames).map((_, index) => index + 1))
  const { messages, tool_calls: cards } = await service.session(session)
  t.same(messages.map((message: { role: string }) => message.role), ['user', 'assistant', 'tool', 'assistant'])
  t.match(messages[3].content, /^Run: yes\.That was all\./)
  t.match(cards, [{ name: 'terminal', tid: tool.id, assistant_msg_idx: 1 }])
})

t.test('what is chosen for longer needs no card the next time, and the agent is told a yes for once alone', async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  const first = service.turn(session, 'run touch one\nrun touch two')
  await service.approve(session, 'session')
  t.match((await first).text, /Run: yes\.Run: yes\./)
  t.match((await service.turn(session, 'run touch three')).text, /yes/, 'and in a later turn')
  const denied = service.turn(session, 'run curl example.org')
  await service.approve(session, 'deny')
  t.match((await denied).text, /Run: no\./)
  const storm = service.turn(session, 'storm 40')
  t.match((await storm).text, /40 allowed/, 'a storm of requests goes by the same rule')
  const always = service.turn(session, 'run mkdir new')
  await service.approve(session, 'always')
  await always
  t.match(readFileSync(join(service.folder, 'home', 'config.yaml'), 'utf8'), /cmd:mkdir/)
  t.match((await service.turn(session, 'run shutdown now')).text, /Run: no\./, 'what never runs is not asked about')
})

t.test('calls that are told in odd ways', { long: true }, async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  const silent = service.turn(session, 'silent ls -la')
  await service.approve(session, 'once')
  const { frames } = await silent
  t.same(frames.filter(({ event }) => event === 'tool' || event === 'tool_complete').map(({ event, data }) => [event, data.args.command]), [['tool', 'ls -la'], ['tool_complete', 'ls -la']], 'one without a start is told of once, and ends once')
  const other = await service.newSession()
  const overlapping = await service.turn(other, 'overlap')
  t.same(overlapping.frames.filter(({ event }) => event.startsWith('tool')).map(({ event, data }) => [event, data.args.title]), [['tool', 'outer'], ['tool', 'inner'], ['tool_complete', 'inner'], ['tool_complete', 'outer']])
  const { tool_calls: cards, messages } = await service.session(other)
  t.same(cards.map(({ snippet, assistant_msg_idx: index }: Record<string, unknown>) => [snippet, index]).sort(), [['inner result', 2], ['outer result', 1]], 'each card stands at its own row')
  t.equal(messages.at(-1).content, 'Both done.')
})

t.test('a change is shown before it is allowed, and what was allowed is not asked about again', async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  const path = join(service.workspace, 'notes.txt')
  const turn = service.turn(session, `edit ${path} := new text`)
  const card = await service.approve(session, 'once')
  t.match(card, { pattern_key: 'write:workspace', file: 'notes.txt', diff: /\+new text/ })
  t.match((await turn).text, /Written\./)
  t.equal(readFileSync(path, 'utf8'), 'new text')
  const unasked = service.turn(session, `write ${path} := other text`)
  t.match(await service.approve(session, 'deny'), { diff: /-new text[^+]*\+other text/ }, 'a file that is written without a word is asked about')
  t.match((await unasked).text, /Refused: .*The user denied/)
})

t.test('files outside are not opened, commands run as ours do', async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  writeFileSync(join(service.workspace, 'inside.txt'), 'a secret of ours')
  writeFileSync(join(service.folder, 'outside.txt'), 'not yours')
  t.match((await service.turn(session, `read ${join(service.workspace, 'inside.txt')}`)).text, /Read: a secret of ours/)
  t.match((await service.turn(session, `read ${join(service.folder, 'outside.txt')}`)).text, /Refused: .*outside the workspace/)
  t.match((await service.turn(session, `write ${join(service.folder, 'outside.txt')} := mine`)).text, /Refused: .*outside the workspace/)
  t.equal(readFileSync(join(service.folder, 'outside.txt'), 'utf8'), 'not yours')
  const command = service.turn(session, 'terminal echo hello; exit 3')
  await service.approve(session, 'once')
  t.match((await command).text, /Exit 3: hello/)
  const refused = service.turn(session, 'terminal touch no')
  await service.approve(session, 'deny')
  t.match((await refused).text, /Refused: .*The user denied/)
  t.notOk(existsSync(join(service.workspace, 'no')))
})

t.test('plans, questions, figures, images and the environment', async (t) => {
  const service = await startAgent(t, { env: { CHOSEN: 'by the owner' } }, { env: { OPENAI_API_KEY: 'sk-of-the-service-1234' } })
  const session = await service.newSession()
  const plan = await service.turn(session, 'plan first; second')
  t.match(plan.frames.find(({ event }) => event === 'todo_state')?.data.todos, [{ content: 'first', status: 'in_progress' }, { content: 'second', status: 'pending' }])
  const asking = service.turn(session, 'elicit')
  const question = await service.pending(session, 'clarify')
  t.match(question, { question: /Scripted asks: Which colour\?/, choices_offered: ['red', 'blue', 'Decline'] })
  await service.post('/api/clarify/respond', { session_id: session, response: 'blue', clarify_id: question.clarify_id })
  t.match((await asking).text, /accept blue/)
  const { frames } = await service.turn(session, 'usage\nsay counted')
  t.match(frames.find(({ event }) => event === 'done')?.data.usage, { usage_source: 'agent', input_tokens: 140, output_tokens: 20, cache_read_tokens: 40, last_prompt_tokens: 5_000, context_length: 200_000, estimated_cost: 0.25 })
  t.match((await service.turn(session, 'say without a word on tokens')).frames.find(({ event }) => event === 'done')?.data.usage, { usage_source: 'none', input_tokens: 140 }, 'nothing is made up')
  t.match((await service.turn(session, 'env OPENAI_API_KEY\nenv CHOSEN')).text, /^It has nothing there\. It has by the owner there\./, 'it gets what it was given, and no key of the service')
})

t.test('what an agent has is chosen in the pickers', { long: true }, async (t) => {
  const service = await startAgent(t)
  const tested = await service.post('/api/providers/test', { provider: 'agent' })
  t.match(tested.body, { ok: true, message: 'Scripted answers (scripted 1.2.3) and has 2 models.', models: 4 })
  const { body: models } = await service.get('/api/models')
  t.equal(models.active_provider, 'agent')
  t.same(models.groups[0].models, [['default', 'Scripted'], ['small', 'Small'], ['large', 'Large'], ['default;mode=plan', 'Scripted (Plan)']].map(([id, label]) => ({ id, label, name: label, context_length: null, price: null, vision: true, reasoning: true })), 'a mode that asks nobody is not offered')
  t.same((await service.get('/api/reasoning?model=large&provider=agent')).body.supported_efforts, ['low', 'high'])
  await service.post('/api/reasoning', { effort: 'max' })
  const session = await service.newSession()
  t.match((await service.turn(session, 'options', { model: 'large' })).text, /model large, mode ask, effort high/)
  t.match((await service.turn(session, 'options', { model: 'default;mode=plan' })).text, /model small, mode plan/, 'what is not chosen goes back to what it was')
  t.match((await service.turn(session, 'options', { model: 'default;mode=yolo' })).last.data.message, /not known to ask before it acts in its mode "yolo"/)
  // The agent announces its commands at any time.
  t.match(await eventually('its commands', async () => (await service.get(`/api/commands?session_id=${session}`)).body.commands.find(({ name }: { name: string }) => name === 'review')), { category: 'Plugin', description: 'Looks at the changes', args_hint: 'what' })
  t.match((await service.post('/api/commands/exec', { command: 'review all of it' })).body, { output: '/review all of it' })
  t.match((await service.post('/api/providers/test', { provider: 'goose' })).body, { ok: false, code: 'not_set_up', message: /goose is not installed\. Install it/ })
  const { body } = await service.get('/api/providers')
  t.match(body.providers[0], { id: 'agent', display_name: 'Scripted', configurable: false, is_plugin_provider: true, auth_error: null })
})

t.test('a text for a running turn is not taken', { long: true }, async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  const streamId = await service.send(session, 'wait')
  const reader = await service.watch(streamId)
  await reader.until('token')
  t.match((await service.post('/api/chat/steer', { session_id: session, text: 'hurry' })).body, { accepted: false, fallback: 'agent_lacks_steer' })
  await service.post('/api/chat/cancel', { stream_id: streamId })
  await reader.ended
  t.equal(reader.frames.at(-1)!.event, 'cancel')
})

t.test('a conversation goes on after a restart, where the agent can; where it cannot, it is told what was said', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'agents-'))
  const state = join(folder, 'sessions.jsonl')
  for (const env of [{ AGENT_STATE: state }, {}] as Array<Record<string, string>>) {
    const first = await startAgent(t, { env }, { folder })
    const session = await first.newSession()
    await first.turn(session, 'say the word is tulip')
    await first.stop()
    const second = await startAgent(t, { env }, { folder })
    const { text } = await second.turn(session, 'recall')
    t.match(text, /tulip/)
    t.equal(/This conversation has gone on without you/.test(text), !('AGENT_STATE' in env), 'it is told only where it does not remember')
    const elsewhere = await second.newSession()
    t.notMatch((await second.turn(elsewhere, 'recall')).text, /tulip/, 'and another conversation knows nothing of it')
    await second.post('/api/session/delete', { session_id: session })
    t.notOk(readdirSync(join(folder, 'home', 'webui_state', 'agents')).some((name) => name.includes(session)), 'nothing is kept of one that is gone')
    await second.stop()
  }
})

t.test('several agents beside a model, each chosen for a message', { long: true }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'agents-'))
  writeConfig(folder, { agents: { one: { ...scripted({ WHO: 'one' }), name: 'One' }, claude: { ...scripted({ WHO: 'two' }), name: 'Two' } }, model: { provider: 'offline-demo' } })
  const service = await start(t, { folder })
  const session = await service.newSession()
  const turn = async (message: string, more: Record<string, unknown>): Promise<string> => {
    const reader = await service.events(`/api/chat/stream?stream_id=${await service.send(session, message, more)}`, { 'user-agent': `reader of ${JSON.stringify(message)}` })
    await reader.ended
    return tokenText(reader.frames)
  }
  t.match(await turn('env WHO', { model: '@one:default' }), /has one there/)
  t.match(await turn('env WHO\nrecall', { model: 'default', model_provider: 'claude-agent' }), /has two there.*has one there/s, 'the second one is told of the first; a name of a provider gets -agent behind it')
  t.match(await turn('hello', { model: 'offline-demo', model_provider: 'offline-demo' }), /rules/i, 'and a model goes on in the same conversation')
})

t.test('where commands are confined, those that an agent has its client run are as well', async (t) => {
  const service = await startAgent(t, {}, { env: { SVC_WEBUI_SANDBOX: '1' } })
  const session = await service.newSession()
  t.match((await service.turn(session, 'terminal echo inside > made; cat made')).text, /Exit 0: inside/, 'unasked')
  t.equal(readFileSync(join(service.workspace, 'made'), 'utf8'), 'inside\n')
  const asking = service.turn(session, 'run touch unconfined')
  t.match(await service.approve(session, 'deny'), { sandboxed: false }, 'what it runs by itself is outside, and asked about')
  await asking
})

t.test('a question on the side goes to a way of working that only reads', { long: true }, async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  await service.turn(session, 'say hello')
  const asked = await service.post('/api/btw', { session_id: session, question: 'options\nrun touch aside\nterminal touch aside\nrecall' })
  t.equal(asked.status, 200, asked.text)
  const reader = await service.watch(asked.body.stream_id)
  await reader.ended
  t.match(tokenText(reader.frames), /mode plan/)
  t.match(tokenText(reader.frames), /This turn may only read/)
  t.match(tokenText(reader.frames), /say hello/, 'it is told of the conversation')
  t.notOk(existsSync(join(service.workspace, 'aside')))
})

t.test('an image is shown to an agent that can see', { long: true }, async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  const form = new FormData()
  form.set('session_id', session)
  form.set('file', new Blob([Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=', 'base64')], { type: 'image/png' }), 'dot.png')
  const uploaded = await (await fetch(`${service.url}/api/upload`, { method: 'POST', body: form })).json() as { path: string }
  const { text } = await service.turn(session, 'images', { attachments: [{ name: 'dot.png', path: uploaded.path, mime: 'image/png', is_image: true }] })
  t.match(text, /1 images/)
})
