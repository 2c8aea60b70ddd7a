import { allHostile } from '../test/support/hostile-texts.js'
import { startModelEndpoint, type ModelRequest, type ModelStep } from '../test/support/model-endpoint.js'

// A model endpoint in its own process, so that its work is not counted as the service's. The user's message says what it answers:
// `words=50` (each is the time at which it was sent), `prose=50` (sentences of ten words), `markdown=50` (words with headings, lists and
// code), `reasoning=10` before them, `tools=2` for as many rounds of read_file before the last answer, `ask` for a call that needs
// approval, `hostile=900000` for an answer that is hard to mask, `write=900000` for a file with such text, `question` for a question of the
// agent, `run(…)` for a command, `call(…)` for a tool of that name without arguments, `wait` for no answer at all.

const endpoint = await startModelEndpoint({ tokensPerSecond: Number(process.argv[2] ?? 0), words: 'timestamps', models: ['bench-model'] })
endpoint.script((request) => {
  endpoint.requests.length = 0
  return request.stream ? answer(request) : [{ text: 'A title for this' }]
})
process.on('disconnect', () => process.exit(0))
process.send!({ url: endpoint.url })

function answer ({ messages }: ModelRequest): ModelStep[] {
  const at = messages.findLastIndex((message) => message.role === 'user' && !textOf(message.content).startsWith('steer '))
  const wish = textOf(messages[at]?.content)
  if (/\bwait\b/.test(wish)) return [{ waitMs: 600_000 }]
  const toolsRun = messages.slice(at).filter((message) => message.role === 'tool').length
  const steps: ModelStep[] = []
  if (count(wish, 'reasoning') > 0) steps.push({ reasoning: words(count(wish, 'reasoning')) })
  steps.push({ text: words(count(wish, 'words')) })
  if (count(wish, 'hostile') > 0) steps.push({ chunk: allHostile(count(wish, 'hostile')) })
  if (count(wish, 'prose') > 0) steps.push({ text: prose(count(wish, 'prose')), isProse: true })
  if (count(wish, 'markdown') > 0) steps.push({ text: markdown(count(wish, 'markdown')), isProse: true })
  if (toolsRun < count(wish, 'tools')) {
    steps.push({ tool: 'read_file', args: { path: 'notes.txt' }, id: `call_${Math.random().toString(36).slice(2, 12)}` })
  }
  if (count(wish, 'write') > 0 && toolsRun === 0) {
    steps.push({ tool: 'write_file', args: { path: 'large.txt', content: allHostile(count(wish, 'write')) } })
  }
  if (/\bask\b/.test(wish) && toolsRun === 0) steps.push({ tool: 'terminal', args: { command: 'rm -r ./old-folder' } })
  if (/\bquestion\b/.test(wish) && toolsRun === 0) steps.push({ tool: 'clarify', args: { question: 'Which one?' } })
  const tool = /\bcall\((\w+)\)/.exec(wish)?.[1]
  if (tool !== undefined && toolsRun === 0) steps.push({ tool, args: {} })
  const command = /run\((.*)\)/.exec(wish)?.[1]
  if (command !== undefined && toolsRun === 0) steps.push({ tool: 'terminal', args: { command } })
  return steps
}

function count (wish: string, name: string): number {
  return Number(new RegExp(`\\b${name}=(\\d+)`).exec(wish)?.[1] ?? 0)
}

const sentence = 'The quick brown fox jumps over the very lazy dog. '.split(' ').filter((word) => word !== '')
const prose = (number: number): string => Array.from({ length: number }, (_, index) => sentence[index % sentence.length]).join(' ')
const section = '## A heading\n\nSome **bold** words and `code` in a sentence that goes on for a while.\n\n- one point\n- another point\n\n```ts\nexport function add (a: number, b: number): number {\n  return a + b // the sum\n}\n```\n\n'.split(' ')
const markdown = (number: number): string => Array.from({ length: number }, (_, index) => section[index % section.length]).join(' ')
const words = (number: number): string => Array.from({ length: number }, (_, index) => `w${index}`).join(' ')

function textOf (content: unknown): string {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('') : ''
}
