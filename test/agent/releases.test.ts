import t from '#test'
import { type HostConnection } from '../../services/agent/index.js'
import { type FromHost, type RunBatch, type ToHost } from '../../services/agent/protocol.js'
import { fieldsOf } from '../../services/ground/fields.js'
import { type StartOptions } from '../support/app.js'
import { startChat, type ChatService } from '../support/chat.js'

// A host may be of another release than its service: it outlives updates, and machines are updated on their own.

/** What a host of the release before `briefResults` said in a turn, as it was recorded. */
const recorded = [
  { t: 'token', text: 'Looking.' },
  {
    t: 'step',
    message: {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Looking.' },
        { type: 'tool-call', toolCallId: 'a', toolName: 'todo', input: { todos: [] } },
        { type: 'tool-call', toolCallId: 'b', toolName: 'read_file', input: { path: 'missing.txt' } }
      ]
    },
    toolCalls: [{ id: 'a', name: 'todo', args: { todos: [] } }, { id: 'b', name: 'read_file', args: { path: 'missing.txt' } }],
    usage: { inputTokens: 451, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false }
  },
  { t: 'segment', text: 'Looking.' },
  { t: 'tool', id: 'a', name: 'todo', preview: '0 items, 0 completed', args: { todos: [] } },
  { t: 'tool', id: 'b', name: 'read_file', preview: 'missing.txt', args: { path: 'missing.txt' } },
  { t: 'todo', todos: [] },
  {
    t: 'tool_complete', id: 'a', name: 'todo', preview: '0 items, 0 completed', args: { todos: [] }, isError: false,
    durationS: 0.007873760999999832, result: 'The list is empty now.',
    replay: { type: 'tool-result', toolCallId: 'a', toolName: 'todo', output: { type: 'text', value: 'The list is empty now.' } }
  },
  {
    t: 'tool_complete', id: 'b', name: 'read_file', preview: 'missing.txt', args: { path: 'missing.txt' }, isError: true, durationS: 0.0077555349999997815,
    result: 'missing.txt does not exist. Use list_files or search_files to find the right path.',
    replay: {
      type: 'tool-result', toolCallId: 'b', toolName: 'read_file',
      output: { type: 'error-text', value: 'missing.txt does not exist. Use list_files or search_files to find the right path.' }
    }
  },
  { t: 'token', text: 'Done.' },
  {
    t: 'step',
    message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    toolCalls: [],
    usage: { inputTokens: 562, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false }
  },
  {
    t: 'end', state: 'done',
    usage: { inputTokens: 1013, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false, lastPromptTokens: 563 }
  }
]

const model = (service: ChatService): string => service.model(
  [{ text: 'Looking.' }, { tool: 'todo', args: { todos: [] }, id: 'a' }, { tool: 'read_file', args: { path: 'missing.txt' }, id: 'b' }],
  [{ text: 'Done.' }]
)

/** Does a turn, and returns what its host sends of results, and what becomes of them: without ids of turns, and times. */
async function turnOf (service: ChatService, said: unknown[], modelId: string) {
  const sessionId = await service.newSession()
  const { frames, last } = await service.turn(sessionId, 'Look', modelId)
  const { tool_calls: cards, messages } = await service.session(sessionId)
  const kept = await service.app.db.sqlite.prepare('select replay from messages where session_id = ? order by position').pluck().all(sessionId)
  return {
    last: last.event,
    results: said.map(fieldsOf).filter(({ t }) => t === 'tool_complete'),
    frames: frames.filter(({ event }) => event.startsWith('tool')).map(({ event, data: { duration: _, ...data } }) => [event, data]),
    cards: cards.map(({ duration: _, ...card }: Record<string, unknown>) => card),
    messages: messages.filter(({ role }: { role: string }) => role === 'tool')
      .map(({ content, name, tool_call_id: id, is_error: isError }: Record<string, unknown>) => ({ content, name, id, isError })),
    kept: kept.slice(1)
  }
}

const hearing = (said: unknown[], change: (message: ToHost) => ToHost = (message) => message): NonNullable<StartOptions['transport']> =>
  (local) => Object.assign((profile: string): HostConnection => {
    const connection = local(profile)
    return {
      ...connection,
      send: (message) => connection.send(change(message)),
      onMessage: (listener) => connection.onMessage((message) => {
        const { batches } = fieldsOf(JSON.parse(JSON.stringify(message)))
        if (Array.isArray(batches)) said.push(...batches.flatMap((batch: RunBatch) => batch.events))
        listener(message)
      })
    }
  }, { close: async () => await local.close?.() })

/** A host that has nothing but the recorded turn. */
function recordedHost (): HostConnection {
  let say: (message: FromHost) => void = () => {}
  return {
    pid: null,
    send (message) {
      if (message.type === 'aux') say({ type: 'aux', reply: { requestId: message.request.requestId, result: null, error: 'It was not recorded' } })
      if (message.type !== 'start') return
      const { runId, generation } = message.spec
      say({ type: 'ready', v: 2, pid: 1 })
      say({ type: 'events', batches: [{ runId, generation, seq: 1, events: structuredClone(recorded) as RunBatch['events'] }] })
    },
    onMessage: (listener) => { say = listener },
    onExit () {},
    async stop () {},
    kill () {}
  }
}

t.test('results are the same to clients and models, whichever of host and service is of the release before', async (t) => {
  const [ours, theirs]: [unknown[], unknown[]] = [[], []]
  const service = await startChat(t, { transport: hearing(ours) })
  const same = await turnOf(service, ours, model(service))
  t.equal(same.last, 'stream_end')
  t.same(same.results.map(Object.keys), [['t', 'id', 'isError', 'durationS', 'result'], ['t', 'id', 'isError', 'durationS', 'result']], 'between equals it goes once')

  const older = await startChat(t, {
    transport: hearing(theirs, (message) => {
      if (message.type !== 'start') return message
      const { briefResults: _, ...spec } = message.spec
      return { ...message, spec }
    })
  })
  const before = await turnOf(older, theirs, model(older))
  const expected = recorded.filter(({ t }) => t === 'tool_complete')
  t.match(before.results.map(({ durationS: _, ...result }) => result), expected.map(({ durationS: _, ...result }) => result), 'an older service hears all of it')
  t.same({ ...before, results: null }, { ...same, results: null })

  const newer = await startChat(t, { transport: () => recordedHost })
  const after = await turnOf(newer, [], newer.model())
  t.same({ ...after, results: null }, { ...same, results: null })
  t.same(after.frames.at(-1), ['tool_complete', {
    event_type: 'tool.completed', name: 'read_file', preview: expected.at(-1)?.result, args: { path: 'missing.txt' }, id: 'b', tool_call_id: 'b', tid: 'b',
    is_error: true, command: 'missing.txt'
  }])
})
