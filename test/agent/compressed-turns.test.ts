import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { compressionMark } from '../../services/agent/engines/quoted-conversation.js'
import { said, startChat, type ChatService } from '../support/chat.js'
import { type ModelRequest, type ModelStep } from '../support/model-endpoint.js'

interface Scene { service: ChatService, asked: ModelRequest[], summaries: ModelRequest[], answer (make: (request: ModelRequest, turn: number) => ModelStep[]): void }

/** Starts a service whose only model has a context of `contextLength` tokens, and that counts its summaries. */
async function scene (t: Parameters<typeof startChat>[0], contextLength: number, config = ''): Promise<Scene> {
  const service = await startChat(t)
  writeFileSync(join(service.folder, 'home', 'config.yaml'), `model:\n  provider: openai\n  default: small\n  context_length: ${contextLength}\n${config}`)
  const asked: ModelRequest[] = []
  const summaries: ModelRequest[] = []
  let make: (request: ModelRequest, turn: number) => ModelStep[] = () => [{ text: 'Fine.' }]
  service.endpoint.script((request) => {
    if (said(request, 'system').concat(said(request, 'developer')).some((text) => text.startsWith(compressionMark))) {
      summaries.push(request)
      return [{ text: `Summary number ${summaries.length}.` }]
    }
    if (!request.stream) return [{ text: 'A title' }]
    asked.push(request)
    return make(request, asked.length)
  })
  return { service, asked, summaries, answer: (next) => { make = next } }
}

const tokens = (input: number): ModelStep => ({ usage: { input, output: 10 } })
const events = (frames: Array<{ event: string }>) => frames.map(({ event }) => event).filter((event) => ['compressing', 'compressed', 'done', 'apperror', 'stream_end', 'tool_complete'].includes(event))

t.test('a conversation that has grown to its threshold is summarised before the next model call; no message is lost', async (t) => {
  const { service, asked, summaries, answer } = await scene(t, 4_000)
  const sessionId = await service.newSession()
  answer((_, turn) => [{ chunk: `Answer ${turn}. ${'word '.repeat(300)}` }, tokens(turn * 400)])
  for (let turn = 1; turn <= 5; turn++) t.same(events((await service.turn(sessionId, `Question ${turn}`)).frames), ['done', 'stream_end'])
  const before = await service.session(sessionId)
  t.equal(before.threshold_tokens, 2_000, 'half of the window')
  t.equal(before.compression_anchor_summary, null)

  const { frames } = await service.turn(sessionId, 'Question 6')
  t.same(events(frames), ['compressing', 'compressed', 'done', 'stream_end'])
  t.match(frames.find(({ event }) => event === 'compressing')?.data, { session_id: sessionId, message: String })
  t.match(frames.find(({ event }) => event === 'compressed')?.data, { session_id: sessionId, new_session_id: sessionId, message: /summarised/, usage: { post_compression_context_tokens_estimate: Number } })
  t.equal(summaries.length, 1)
  t.match(said(summaries[0], 'user').join(''), /Question 1[^]*Answer 1/)
  const shown = said(asked[5], 'user').join('\n')
  t.match(shown, /Summary number 1\./)
  t.notMatch(shown, /Question 1\b/, 'the model sees the summary instead of what it stands for')
  t.match(shown, /Question 6/)

  const after = await service.session(sessionId)
  t.same(after.messages.filter(({ role }: { role: string }) => role === 'user').map(({ content }: { content: string }) => content), [1, 2, 3, 4, 5, 6].map((n) => `Question ${n}`), 'the transcript is whole')
  t.match(after.compression_anchor_summary, /^Summary number 1\./)
  const anchor = after.messages[after.compression_anchor_visible_idx]
  t.match(after.compression_anchor_message_key, { role: anchor.role, ts: anchor.timestamp, text: anchor.content.replaceAll(/\s+/g, ' ').trim().slice(0, 160), attachments: 0 })
  t.notMatch(shown, anchor.content.slice(0, 9), 'the anchor is the last message that only the summary tells of')
  const next = after.messages[after.compression_anchor_visible_idx + 1]
  t.match(JSON.stringify(asked[5]!.messages), next.content.slice(0, 9), 'and the one after it is still shown')
  t.ok(frames.find(({ event }) => event === 'done')!.data.usage.threshold_tokens === 2_000)

  await service.turn(sessionId, 'Question 7')
  t.match(said(asked[6], 'user').join('\n'), /Summary number [12]\./, 'later turns begin with the summary')
  t.notMatch(said(asked[6], 'user').join('\n'), /Question 1\b/)
})

t.test('the summary is still what the model sees after a restart', async (t) => {
  const { service, asked, answer } = await scene(t, 4_000)
  const folder = join(service.folder, 'kept')
  mkdirSync(join(folder, 'home'), { recursive: true })
  copyFileSync(join(service.folder, 'home', 'config.yaml'), join(folder, 'home', 'config.yaml'))
  const before = await service.again(t, folder)
  const sessionId = await before.newSession()
  answer((_, turn) => [{ chunk: 'word '.repeat(300) }, tokens(turn * 500)])
  for (let turn = 1; turn <= 5; turn++) await before.turn(sessionId, `Question ${turn}`)
  const { compression_anchor_summary: summary } = await before.session(sessionId)
  t.match(summary, /Summary number/)
  await before.stop()
  answer(() => [{ text: 'Fine.' }, tokens(100)])
  const after = await service.again(t, folder)
  await after.turn(sessionId, 'And now?')
  t.ok(said(asked.at(-1), 'user').join('\n').includes(summary))
  t.notMatch(said(asked.at(-1), 'user').join('\n'), /Question 2\b/)
})

t.test('a model that refuses the conversation as too long is asked again with a summary, once', async (t) => {
  const { service, asked, summaries, answer } = await scene(t, 100_000)
  const sessionId = await service.newSession()
  answer(() => [{ chunk: 'word '.repeat(3_000) }, tokens(10)])
  for (let turn = 1; turn <= 12; turn++) await service.turn(sessionId, `Question ${turn}`)
  const sound = asked.length
  service.endpoint.refuse((request) => request.stream && JSON.stringify(request.messages).length > 100_000)
  const { frames } = await service.turn(sessionId, 'One more')
  t.same(events(frames), ['compressing', 'compressed', 'done', 'stream_end'])
  t.equal(summaries.length, 1)
  t.equal(asked.length, sound + 1)

  service.endpoint.refuse(() => false)
  for (let turn = 14; turn <= 26; turn++) await service.turn(sessionId, `Question ${turn}`)
  service.endpoint.refuse((request) => request.stream)
  const refused = await service.turn(sessionId, 'And another')
  t.ok(refused.frames.some(({ event }) => event === 'compressed'))
  t.match(refused.last, { event: 'apperror', data: { type: 'compression_exhausted', hint: String } }, 'what a summary cannot make short enough ends with a word of its own')
  t.ok((await service.session(sessionId)).messages.some(({ content }: { content: string }) => content === 'And another'), 'what was typed is kept')
})

t.test('switched off, nothing is summarised before the model itself refuses', async (t) => {
  const { service, summaries, answer } = await scene(t, 4_000, 'compression:\n  enabled: false\n')
  const sessionId = await service.newSession()
  answer((_, turn) => [{ chunk: 'word '.repeat(300) }, tokens(turn * 1_000)])
  for (let turn = 1; turn <= 5; turn++) await service.turn(sessionId, `Question ${turn}`)
  t.equal(summaries.length, 0)
  t.equal((await service.session(sessionId)).threshold_tokens, null)
})

t.test('when no summary can be had the turn goes on and says so', async (t) => {
  const { service, answer } = await scene(t, 4_000)
  const sessionId = await service.newSession()
  answer((_, turn) => [{ chunk: 'word '.repeat(300) }, tokens(turn * 400)])
  for (let turn = 1; turn <= 5; turn++) await service.turn(sessionId, `Question ${turn}`)
  service.endpoint.refuse((request) => !request.stream)
  const { frames, last } = await service.turn(sessionId, 'Question 6')
  t.match(frames.find(({ event, data }) => event === 'warning' && data.type === 'compression_failed')?.data, { message: /could not be summarised/ })
  t.equal(last.event, 'stream_end')
  t.equal((await service.session(sessionId)).compression_anchor_summary, null)
})
