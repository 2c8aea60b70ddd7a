import { type LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { isDenied, isFailed, quote, resultText, type DemoMove } from './offline-demo-moves.js'
import { demoWordsFor, type DemoWords } from './demo-words/index.js'

type Result = LanguageModelV4ToolResultPart

/** A turn of the tour: decides what it says and does next from the results of its calls so far. Pure. */
type Script = (results: readonly Result[]) => DemoMove

const listFile = 'demo-list.md'
/** Matches an unticked line of the list, in a file as `read_file` shows it. */
const openItem = /- \[ \] .+/

function change ({ change: w, failed }: DemoWords, results: readonly Result[]): DemoMove {
  const last = results.at(-1)
  if (last === undefined) return { text: w.begin, call: { toolName: 'list_files', input: { path: '.' } } }
  if (isDenied(last)) return { text: w.denied }
  const said = resultText(last)
  if (isFailed(last)) return { text: failed(quote(said)) }
  if (last.toolName === 'list_files' && said.includes(listFile)) return { call: { toolName: 'read_file', input: { path: listFile } } }
  const item = openItem.exec(said)?.[0]
  switch (last.toolName) {
    case 'edit_file': return { text: w.done }
    case 'write_file': return { text: w.made, call: tick(openItem.exec(w.file)?.[0] ?? '') }
    default: return item === undefined
      ? { text: w.make, call: { toolName: 'write_file', input: { path: listFile, content: w.file } } }
      : { text: w.again, call: tick(item) }
  }
}

const tick = (item: string): DemoMove['call'] => ({
  toolName: 'edit_file', input: { path: listFile, old_string: item, new_string: item.replace('[ ]', '[x]') }
})

function question ({ question: w, failed }: DemoWords, [result]: readonly Result[]): DemoMove {
  if (result === undefined) return { text: w.begin, call: { toolName: 'clarify', input: { question: w.question, choices: w.choices } } }
  const said = resultText(result)
  if (isFailed(result)) return { text: failed(quote(said)) }
  const answer = /^The user answered: ([^]+)$/.exec(said)?.[1]
  return { text: answer === undefined ? w.nobody : w.answered(answer.trim()) }
}

function task ({ task: w, failed }: DemoWords, results: readonly Result[]): DemoMove {
  const last = results.at(-1)
  if (last === undefined) return { text: w.begin, call: { toolName: 'schedule_list', input: {} } }
  if (isDenied(last)) return { text: w.denied }
  if (isFailed(last)) return { text: failed(quote(resultText(last))) }
  if (last.toolName !== 'schedule_list') return { text: w.done }
  if (resultText(last).includes(w.name)) return { text: w.exists }
  const job = { action: 'create', name: w.name, prompt: w.prompt, schedule: 'every day at 8am', deliver: 'local' }
  return { text: w.make, call: { toolName: 'schedule', input: job } }
}

const turns: Readonly<Record<keyof DemoWords['asks'], (w: DemoWords, results: readonly Result[]) => DemoMove>> = {
  change, question, long: ({ long: text }) => ({ text }), task
}

/** Returns the turn of the tour that a message asks for, or the one for a run of the tour's job; null for any other message. */
export function scriptFor (request: string): Script | null {
  const w = demoWordsFor(request)
  if (request === w.task.prompt) return () => ({ text: w.task.run })
  for (const turn of ['change', 'question', 'long', 'task'] as const) {
    if (w.asks[turn].test(request)) return (results) => turns[turn](w, results)
  }
  return null
}
