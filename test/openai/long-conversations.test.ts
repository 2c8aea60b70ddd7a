import t from '#test'
import { asPrompt } from '../../services/agent/engines/history.js'
import { type ModelMessage } from '../../services/agent/protocol.js'
import { entriesOf } from '../../services/areas/openai/entries.js'

/** As many as a request may have. */
const many = 20_000
const mostCpuMs = 5_000

/** Returns what `work` returns, and fails if it takes more than some time of the processor: its cost must grow with the length. */
function inTime<T> (t: { ok: (condition: boolean, name: string) => void }, work: () => T): T {
  const before = process.cpuUsage()
  const made = work()
  const { user, system } = process.cpuUsage(before)
  t.ok(user + system < mostCpuMs * 1_000, `took ${Math.round((user + system) / 1_000)} ms of the processor`)
  return made
}

t.test('thousands of messages of an assistant in a row become one', (t) => {
  const text = 'x'.repeat(200)
  const { entries } = inTime(t, () => entriesOf(Array.from({ length: many }, (_, index) => index % 2 === 0
    ? { role: 'assistant', content: index === 0 ? '' : text }
    : { role: 'assistant', tool_calls: [{ id: `call ${index}`, function: { name: 'look', arguments: '{}' } }] }), 'messages'))
  const [entry] = entries
  t.equal(entries.length, 1)
  if (entry?.role !== 'assistant') throw new Error('It is the assistant\'s')
  t.equal(entry.text.split('\n\n').length, many / 2 - 1, 'without empty ones')
  t.same([entry.calls.length, entry.calls.at(-1)?.id], [many / 2, `call ${many - 1}`])
})

t.test('thousands of messages of a person in a row become one', (t) => {
  const said: ModelMessage[] = Array.from({ length: many }, (_, index) => ({ role: 'user', content: [{ type: 'text', text: String(index) }] }))
  const prompt = inTime(t, () => asPrompt([...said, { role: 'assistant' as const, content: [] }].map((message) => ({ message, isRow: true }))))
  t.same(prompt.map(({ role, content }) => [role, content.length]), [['user', many], ['assistant', 0]])
  t.equal(said[0]?.content.length, 1, 'what is stored stays as it is')
})
