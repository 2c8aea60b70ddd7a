import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from '../../test/support/harness.js'
import { Exchange, withKnown } from '../src/core/turn/exchange.js'
import { type TurnFrame } from '../src/core/service/link.js'
import { Transcript } from '../src/core/conversation/transcript.js'
import { placed } from '../src/core/sessions/session-pages.js'
import { loadTurns } from '../src/core/turn/loading-turns.js'
import { addNote, beginTurn, endTurn, foldFrame, markWaiting, type LiveTurn } from '../src/core/turn/turn-live.js'
import { turnsOf, type StoredRow } from '../src/core/turn/turn-stored.js'
import { workOf, type Part, type Turn } from '../src/core/turn/turn.js'
import { startChat, type ChatService, type ScriptedAnswer } from '../../test/support/chat.js'
import { sessionWith } from '../../test/support/page.js'

const frames = (events: Array<[string, unknown]>): TurnFrame[] => events.map(([event, data]) => ({ event, data }) as TurnFrame)
const fold = (live: LiveTurn, all: readonly TurnFrame[]): LiveTurn => all.reduce((state, frame) => foldFrame(state, frame, 5), live)
const tool = (id: string, name: string, more: object = {}): [string, unknown] => ['tool', { id, name, preview: name, args: {}, ...more }]
const complete = (id: string, name: string, more: object = {}): [string, unknown] => ['tool_complete', { id, name, preview: 'result', args: {}, is_error: false, duration: 1, ...more }]
const token = (text: string): [string, unknown] => ['token', { text }]

/** What a transcript says of parts, without what only frames tell. */
function plain (parts: readonly Part[]): unknown[] {
  return parts.filter(({ kind }) => kind !== 'event').map((part) => {
    if (part.kind !== 'call') return part
    const { preview, foresight, startedAtS, ...rest } = part
    return rest
  })
}

const rowsOf = async (s: ChatService, id: string): Promise<StoredRow[]> => {
  const { messages } = await s.session(id)
  return placed(messages, messages.length)
}

t.test('parts stand as the transcript will have them', async (t) => {
  const live = fold(beginTurn(null), frames([
    token('I look. '), ['reasoning', { text: 'Hm' }], token('Now.'), tool('a', 'read_file', { args: { path: 'x' } }), complete('a', 'read_file'),
    tool('b', 'terminal'), complete('b', 'terminal', { is_error: true }), token('\n'), tool('c', 'terminal'), complete('c', 'terminal'), token('Done.')
  ]))
  t.same(live.turn.parts.map((part) => 'text' in part ? `${part.kind} ${part.text}` : `${part.kind} ${part.id} ${part.state}`),
    ['reasoning Hm', 'text I look. Now.', 'call a done', 'call b failed', 'call c done', 'text Done.'], 'what is blank is left out')
  t.match(workOf({ parts: live.turn.parts, durationS: 4 }), { steps: 3, filesRead: 1, commands: 2, failed: 1, hasReasoning: true, seconds: 4 })
})

t.test('an attempt that is retracted is replaced, and nothing else', async (t) => {
  const before = fold(beginTurn(null), frames([token('First.'), tool('a', 'x'), complete('a', 'x'), ['reasoning', { text: 'Hm' }], token('Half an')]))
  const after = fold(before, frames([['interim_assistant', { text: '', already_streamed: false }], token('Whole.')]))
  t.same(after.turn.parts.map((part) => 'text' in part ? part.text : part.kind), ['First.', 'call', 'Whole.'])
  t.equal(after.turn.parts[0], before.turn.parts[0], 'what is finished stays the same')
})

t.test('a note stands at the end until the agent speaks again after a result', async (t) => {
  const noted = addNote(fold(beginTurn(null), frames([token('I look.')])), 'Faster')
  const called = fold(noted, frames([tool('a', 'x'), complete('a', 'x')]))
  t.same(called.turn.parts.map(({ kind }) => kind), ['text', 'call', 'note'])
  const spoken = fold(called, frames([token('Yes.')]))
  t.same(spoken.turn.parts.map(({ kind }) => kind), ['text', 'call', 'note', 'text'])
  t.match(spoken.turn.parts[2], { text: 'Faster', isTaken: true })
})

t.test('the call that waits for a person is the one that was asked about', async (t) => {
  const states = ({ turn }: LiveTurn) => turn.parts.map((part) => part.kind === 'call' && part.state)
  const live = fold(beginTurn(null), frames([tool('a', 'read_file'), tool('b', 'terminal', { command_parts: [{ program: 'rm', args: [] }], folder: '/w', sandboxed: false }), tool('c', 'read_file')]))
  const waiting = markWaiting(live, true)
  t.same(states(waiting), ['running', 'waiting', 'running'])
  t.match(waiting.turn.parts[1], { foresight: { command_parts: [{ program: 'rm' }], folder: '/w', sandboxed: false } })
  t.equal(markWaiting(waiting, true), waiting)
  t.same(states(markWaiting(fold(waiting, frames([complete('b', 'terminal')])), true)), ['running', 'done', 'waiting'])
  t.same(states(markWaiting(waiting, false)), ['running', 'running', 'running'])

  const exchange = new Exchange('k', waiting.turn)
  t.equal(exchange.isWaiting.value, true)
  exchange.show(addNote(waiting, 'Faster').turn)
  t.equal(exchange.isWaiting.value, true, 'also with a note below it')
  exchange.show(markWaiting(waiting, false).turn)
  t.equal(exchange.isWaiting.value, false)
})

t.test('what happens on the way has one line for each thing', async (t) => {
  const live = fold(beginTurn(null), frames([
    ['warning', { type: 'retry', message: 'Again' }], ['warning', { type: 'retry', message: 'And again' }], ['compressing', { message: 'Summarising' }],
    ['compressed', { message: 'Summarised' }], ['warning', { type: 'fallback', message: 'Another one' }], ['compressing', { message: 'Summarising' }], ['warning', { type: 'compression_failed', message: 'No' }],
    ['checkpoint', { id: 'c', state: 'ready', reason: null }], ['metering', { tps: 3 }], ['unheard_of', {}]
  ]))
  t.same(live.turn.parts.map((part) => 'type' in part && part.text), ['And again', 'Summarised', 'Another one', 'No'])
  t.match(live.turn, { checkpoint: { id: 'c' }, tokensPerSecond: 3 })
})

t.test('calls without a result have come to none when the turn ends', async (t) => {
  const { turn } = endTurn(fold(beginTurn(null), frames([token('I am'), tool('a', 'x')])), { state: 'cancelled' })
  t.match(turn, { state: 'cancelled', parts: [{ kind: 'text', isOpen: false }, { kind: 'call', state: 'abandoned' }] })
})

t.test('messages from anywhere are shown as far as they say something', async (t) => {
  const messages = [
    { role: 'assistant', content: [{ type: 'text', text: 'From further up' }], tool_calls: 'none' },
    { role: 'tool', content: 'lost', tool_call_id: 'gone', name: 'terminal' },
    { role: 'user', content: 'See this [Attached files: a.png]', attachments: ['a.png', { name: 'b', path: '/b', size: 3, is_image: true }, 5, {}] },
    { role: 'assistant', content: '', tool_calls: [{ id: 'twin', function: { name: 'x', arguments: 'no JSON' } }, { id: 'twin', function: { name: 'x', arguments: '{"a":1}' } }, null, {}] },
    { role: 'tool', content: 'one', tool_call_id: 'twin' },
    { role: 'system', content: 'nobody reads this' },
    { role: 'assistant', content: '**Rate limit:** Too many.\n\n*Wait.*', _error: true }
  ].map((message, index) => ({ message_id: `m${index}`, timestamp: index, _ts: index, ...message })) as unknown as Parameters<typeof placed>[0]
  const [cut, asked, ...rest] = turnsOf(placed(messages, 12))
  t.same(rest, [])
  t.match(cut, { isCut: true, user: null, firstIndex: 5, endIndex: 7, parts: [{ text: 'From further up' }, { name: 'terminal', state: 'done' }] })
  t.match(asked, {
    firstIndex: 7,
    endIndex: 12,
    isCut: false,
    state: 'failed',
    problem: { label: 'Rate limit', message: 'Too many.', hint: 'Wait.' },
    user: { text: 'See this', index: 7, attachments: [{ name: 'a.png', path: null }, { name: 'b', path: '/b', isImage: true, sizeBytes: 3 }] },
    parts: [{ key: 'call:twin', args: {}, state: 'abandoned' }, { key: 'call:twin:1', args: { a: 1 }, result: 'one' }]
  })
})

/** Turns of many kinds, as a real service tells them. */
const scripts: Array<[string, ScriptedAnswer[]]> = [
  ['words alone', [[{ reasoning: 'Hm.' }, { text: 'Hello ' }, { text: 'there.' }]]],
  ['calls beside each other', [[{ text: 'I look.' }, { tool: 'read_file', args: { path: 'a.txt' } }, { tool: 'read_file', args: { path: 'none' } }, { tool: 'list_files', args: { path: '.' } }], [{ reasoning: 'So.' }, { tool: 'todo', args: { todos: [{ id: '1', content: 'One', status: 'pending' }] } }], [{ text: 'Done.' }]]],
  ['a long result', [[{ tool: 'read_file', args: { path: 'long.txt' } }], [{ text: 'Long.' }]]],
  ['an answer that is cut short', [[{ text: 'Half' }, { finish: 'length' }]]],
  ['a failure', [[{ refuse: 401 }]]],
  ['a failure after some work', [[{ text: 'First.' }, { tool: 'list_files', args: { path: '.' } }], [{ refuse: 401 }]]]
]

async function recorded (t: Test): Promise<Array<{ what: string, told: TurnFrame[], stored: Turn, rows: StoredRow[] }>> {
  const s = await startChat(t)
  writeFileSync(join(s.workspace, 'a.txt'), 'A file\n')
  writeFileSync(join(s.workspace, 'long.txt'), Array.from({ length: 900 }, (_, line) => `line ${line}`).join('\n'))
  const runs = []
  for (const [what, script] of scripts) {
    const id = await sessionWith(s, ...script)
    const { frames: told } = await s.turn(id, 'Go on')
    const rows = await rowsOf(s, id)
    const stored = turnsOf(rows)
    t.equal(stored.length, 1, what)
    runs.push({ what, told: told as unknown as TurnFrame[], stored: stored[0]!, rows })
  }
  return runs
}

t.test('turns of a real service', async (t) => {
  const runs = await recorded(t)

  await t.test('what was heard is what is stored', async (t) => {
    for (const { what, told, stored } of runs) {
      const { turn } = endTurn(fold(beginTurn(stored.user), told), { state: stored.state })
      const heard = plain(turn.parts) as Array<Record<string, unknown>>
      const kept = plain(stored.parts) as Array<Record<string, unknown>>
      // A frame has the beginning of a result; why an answer is cut short the last frame says.
      const shorter = ({ result, resultTruncated, cut, ...rest }: Record<string, unknown>) => ({ ...rest, result: typeof result === 'string' ? result.slice(0, 3_000) : result })
      t.same(heard.map(shorter), kept.map(shorter), what)
    }
  })

  await t.test('after any part of the frames, the stored messages make the same exchange, and draw again only what is another', async (t) => {
    for (const { what, told, stored } of runs) {
      for (let length = 0; length <= told.length; length++) {
        const { turn } = endTurn(fold(beginTurn(stored.user), told.slice(0, length)), { state: 'completed' })
        const exchange = new Exchange('one', turn)
        const before = exchange.parts.value
        exchange.show(withKnown(stored, turn))
        const shown = exchange.parts.value.map(({ part }) => part.value)
        t.same(plain(shown), plain(stored.parts), `${what}, ${length} frames`)
        const equal = before.filter(({ key }) => stored.parts.some((part) => part.key === key))
        t.ok(equal.every((part) => exchange.parts.value.includes(part)), 'their places are kept')
        t.equal(exchange.head.value.state, stored.state)
      }
    }
  })

  await t.test('a transcript that is read in pages of any size is the same as a whole one', async (t) => {
    await loadTurns()
    const rows = runs.flatMap(({ rows }) => rows).map(({ message }, index) => ({ index, message: { ...message, message_id: `m${index}` } }))
    const whole = turnsOf(rows)
    for (let size = 1; size <= rows.length; size++) {
      const transcript = new Transcript()
      for (let end = rows.length; end > 0; end -= size) {
        const offset = Math.max(0, end - size)
        const page = rows.slice(offset, end)
        if (end === rows.length) transcript.replace(page, { offset, anchor: null, live: null })
        else transcript.prepend(page, offset)
        t.equal(new Set(transcript.exchanges.value.map(({ key }) => key)).size, transcript.exchanges.value.length, 'keys are not shared')
      }
      t.same(transcript.exchanges.value.map(({ turn }) => ({ ...turn, parts: plain(turn.parts) })), whole.map((turn) => ({ ...turn, parts: plain(turn.parts) })), `pages of ${size}`)
      t.equal(transcript.hasEarlier.value, false)
      const before = transcript.exchanges.value
      transcript.replace(rows, { offset: 0, anchor: null, live: null })
      t.equal(transcript.exchanges.value, before, 'reading it again draws nothing')
    }
  })
})
