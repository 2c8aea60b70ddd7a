import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { type CallOutput, addOutput } from '../../web/src/core/turn/call-output.js'
import { eventually } from '../support/chat.js'
import { start, type TestService } from '../support/app.js'
import { seqs, type EventReader, type ReceivedFrame } from '../support/events.js'
import { temporaryFolder } from '../support/folder.js'
import { spawnServer } from '../support/server.js'

const options = { env: { SVC_WEBUI_SANDBOX: '0' }, demoWordsPerSecond: 0 }

/** Returns what a client shows of the first call, given its frames so far. */
const shown = (frames: readonly ReceivedFrame[]): CallOutput | null => frames.reduce<CallOutput | null>(
  (output, { event, data }) => event === 'tool_output' ? addOutput(output, data) : output, null)
const has = (reader: EventReader, text: string) => async () => await reader.until(() => (shown(reader.frames)?.head ?? '').includes(text))
const framesOf = (reader: EventReader): ReceivedFrame[] => reader.frames.filter(({ event }) => event === 'tool_output')

/** Has the demo run a command without approval. */
async function run (service: TestService, command: string): Promise<{ sessionId: string, streamId: string, reader: EventReader, attach: (query: string) => Promise<EventReader> }> {
  const sessionId = await service.newSession()
  await service.post('/api/session/yolo', { session_id: sessionId, enabled: true })
  const streamId = await service.send(sessionId, `run ${command}`)
  const attach = async (query: string): Promise<EventReader> => await service.events(`/api/chat/stream?stream_id=${streamId}${query}`)
  return { sessionId, streamId, attach, reader: await attach('&replay=1') }
}

/** Shell code that waits until the test continues it. */
const waitFor = (name: string): string => `until [ -e ${name} ]; do sleep 0.02; done`

t.test('what a command prints is seen while it runs, by who comes back each byte once, and its result as ever', async (t) => {
  const service = await start(t, options)
  const go = (name: string): void => writeFileSync(join(service.workspace, name), '')
  const { sessionId, streamId, reader, attach } = await run(service, `printf 'one \\033[31mred\\033[0m gr\\303\\266\\303\\237er\\n'; ${waitFor('first')}; printf '10 %%\\r20 %%\\n'; ${waitFor('second')}; echo three`)
  await has(reader, 'größer')()
  t.notOk(reader.frames.some(({ event }) => event === 'tool_complete'), 'before its end')
  t.match(framesOf(reader)[0], { data: { text: 'one \u001b[31mred\u001b[0m größer\n', left_out_bytes: 0 } })
  const call = reader.frames.find(({ event }) => event === 'tool')!.data
  for (const { data } of framesOf(reader)) t.same([data.id, data.tool_call_id, data.tid], [call.id, call.id, call.id])
  const cut = [...reader.frames]
  reader.drop()
  go('first')
  const [again, late, feed] = [await attach(`&after_seq=${seqs(cut).at(-1)}`), await attach('&replay=1'), await service.events(`/api/events?session=${sessionId}`)]
  await has(late, '20 %\n')()
  go('second')
  await Promise.all([again.ended, late.ended, feed.until(({ event, data }) => event === 'turn' && data.event === 'stream_end')])
  t.same([...cut, ...again.frames], late.frames, 'nothing twice, nothing left out')
  const whole = 'one \u001b[31mred\u001b[0m größer\n10 %\r20 %\n'
  t.ok([whole, `${whole}three\n`].includes(shown([...cut, ...again.frames])!.head))
  t.same(feed.frames.filter(({ event, data }) => event === 'turn' && data.stream_id === streamId).map(({ data }) => ({ id: data.id, event: data.event, data: data.data })), late.frames, 'the one connection has the same')
  const [done] = late.frames.filter(({ event }) => event === 'tool_complete')
  t.equal(done!.data.preview, 'one red größer\n20 %\nthree\n[exit code 0]')
})

t.test('credentials are masked as in the result', async (t) => {
  const service = await start(t, options)
  const key = `sk-${'live'}-${'9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT9u'}`
  const { reader } = await run(service, `for part in 'OPENAI_API_' 'KEY=${key.slice(0, 9)}' '${key.slice(9, 25)}' '${key.slice(25)}' ' and more'; do printf %s "$part"; sleep 0.3; done; ${waitFor('go')}`)
  await reader.until(() => /^OPENAI_API_KEY=\[redacted\]/.test(shown(reader.frames)?.head ?? ''))
  writeFileSync(join(service.workspace, 'go'), '')
  await reader.ended
  t.notMatch(framesOf(reader).map(({ data }) => data.text).join(''), key.slice(0, 12))
})

t.test('a flood costs few frames; its beginning and its newest end are told', { long: true }, async (t) => {
  const service = await start(t, options)
  const { reader } = await run(service, `yes 'all work and no play' | head -c 50000000; ${waitFor('go')}`)
  await reader.until(({ event, data }) => event === 'tool_output' && data.left_out_bytes > 49_000_000)
  writeFileSync(join(service.workspace, 'go'), '')
  await reader.ended
  const frames = framesOf(reader)
  const bytes = frames.reduce((sum, { data }) => sum + JSON.stringify(data).length, 0)
  t.ok(frames.length < 40 && bytes < 100_000, `${frames.length} frames, ${frames.map(({ data }) => data.text.length).join(' ')} characters`)
  const { head, tail } = shown(reader.frames)!
  t.match(head, /^all work and no play\n/)
  t.match(tail, /^all work and no play\n/)
  t.match(reader.frames.find(({ event }) => event === 'tool_complete')!.data, { is_error: false })
  t.equal(reader.frames.at(-1)!.event, 'stream_end')
})

t.test('a turn that is stopped in the middle of a command ends as ever', async (t) => {
  const service = await start(t, options)
  const { sessionId, streamId, reader } = await run(service, 'echo begun; sleep 300')
  await has(reader, 'begun')()
  await service.get(`/api/chat/cancel?stream_id=${streamId}`)
  await reader.ended
  t.equal(reader.frames.at(-1)!.event, 'cancel')
  t.match((await service.session(sessionId)).messages.findLast(({ role }: { role: string }) => role === 'tool'), { is_error: true, content: 'This call was interrupted before it had a result.' })
})

t.test('after a kill in the middle the journal has what was seen, and the turn its end', { long: true }, async (t) => {
  const folder = temporaryFolder(t, 'killed')
  const before = await spawnServer(t, folder)
  const { session: { session_id: sessionId } } = await before.json('/api/session/new', {})
  await before.json('/api/session/yolo', { session_id: sessionId, enabled: true })
  const { stream_id: streamId } = await before.json('/api/chat/start', { session_id: sessionId, message: 'run echo begun; sleep 300' })
  const reader = await before.events(`/api/chat/stream?stream_id=${streamId}&replay=1`)
  await has(reader, 'begun')()
  const seen = [...reader.frames]
  await before.crash()
  const after = await spawnServer(t, folder)
  const rest = await after.events(`/api/chat/stream?stream_id=${streamId}&replay=1&after_seq=${seqs(seen).at(-1)}`)
  await rest.ended
  t.same(rest.frames.filter(({ event }) => event !== 'tool_output').map(({ event, data }) => [event, data.type]), [['apperror', 'interrupted']])
  const whole = await after.events(`/api/chat/stream?stream_id=${streamId}&replay=1&after_seq=0`)
  await whole.ended
  t.same(whole.frames, [...seen, ...rest.frames])
  await eventually('the end of the turn', async () => (await after.json(`/api/session/status?session_id=${sessionId}`)).active_stream_id === null)
})
