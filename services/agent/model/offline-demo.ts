import { setTimeout as delay } from 'node:timers/promises'
import {
  type JSONObject, type LanguageModelV4, type LanguageModelV4CallOptions, type LanguageModelV4GenerateResult,
  type LanguageModelV4Prompt, type LanguageModelV4StreamPart, type LanguageModelV4ToolResultPart, type LanguageModelV4Usage
} from '@ai-sdk/provider'
import {
  answerLabel, callLabel, compressionMark, earlierSummaryLabel, judgeMark, readQuoted, turnsLabel, userLabel
} from '../engines/material.js'

const offlineDemoId = 'offline-demo'

/** Opens every reply, so that nobody takes the rules for a model. */
export const offlineDemoNotice = 'Fixed rules wrote this reply, not an AI model; to add a model, set a provider key such as OPENAI_API_KEY in the profile\'s .env file or start a local model server such as Ollama.'

const helpText = `These are the rules:

- \`list\` or \`list <folder>\` lists files
- \`read <path>\` reads a file
- \`write <path>: <text>\` writes a file
- \`search <text>\` searches the files
- \`run <command>\` runs a command
- \`ask me <question>\` asks you back; \`ask me <question>? a | b\` offers answers
- \`todo <first>; <second>\` makes a list of tasks
- \`delegate <request>\` lets a sub-agent do it
- \`slow <n>\` counts to n, slowly
- \`help\` shows this list`

interface DemoCall { toolName: string, input: JSONObject }
/** What one step does: think, then call a tool or speak. `slow` words take ten times as long. */
interface DemoStep { rule: string, text?: string, call?: DemoCall, slow?: boolean }

interface Rule { name: string, pattern: RegExp, step (match: RegExpExecArray): Omit<DemoStep, 'rule'> }

const calls = (toolName: string, input: JSONObject): Omit<DemoStep, 'rule'> => ({ call: { toolName, input } })
const group = (match: RegExpExecArray, index: number): string => (match[index] ?? '').trim()
const parts = (text: string, separator: string): string[] => text.split(separator).map((part) => part.trim()).filter((part) => part !== '')
/** The tool takes a regular expression; the rule's words are to be found as they are. */
const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
const maxCount = 5000

const rules: Rule[] = [
  { name: 'help', pattern: /^help\s*[.!?]?$/i, step: () => ({ text: helpText }) },
  {
    name: 'list', pattern: /^list(?:\s+(?:files(?:\s+in)?\s*)?(.*))?$/i,
    step: (match) => calls('list_files', { path: group(match, 1) || '.' })
  },
  { name: 'read <path>', pattern: /^read\s+(.+)$/i, step: (match) => calls('read_file', { path: group(match, 1) }) },
  {
    name: 'write <path>: <text>', pattern: /^write\s+([^:\n]+?)\s*:[ \t]?\n?([^]*)$/i,
    step: (match) => calls('write_file', { path: group(match, 1), content: match[2] ?? '' })
  },
  {
    name: 'search <text>', pattern: /^search\s+(?:for\s+)?(.+)$/i,
    step: (match) => calls('search_files', { pattern: literally(group(match, 1)) })
  },
  { name: 'run <command>', pattern: /^run\s+([^]+)$/i, step: (match) => calls('terminal', { command: group(match, 1) }) },
  {
    name: 'ask me <question>',
    pattern: /^ask\s+me\s+([^]+)$/i,
    step: (match) => {
      const [, question, answers] = /^([^|]*\?)\s*([^|]+\|[^]*)$/.exec(group(match, 1)) ?? [undefined, group(match, 1), '']
      const choices = parts(answers as string, '|')
      return calls('clarify', choices.length > 0 ? { question: question as string, choices } : { question: question as string })
    }
  },
  {
    name: 'todo <first>; <second>',
    pattern: /^todo:?\s+([^]+)$/i,
    step: (match) => calls('todo', { todos: parts(group(match, 1), ';').map((content) => ({ content, status: 'pending' })) })
  },
  { name: 'delegate <request>', pattern: /^delegate:?\s+([^]+)$/i, step: (match) => calls('delegate', { task: group(match, 1) }) },
  {
    name: 'slow <n>',
    pattern: /^slow\s+(\d{1,9})$/i,
    step: (match) => {
      const count = Math.min(Number(match[1]), maxCount)
      return { text: Array.from({ length: count }, (_, index) => String(index + 1)).join(' '), slow: true }
    }
  }
]

/** What the demo does next, decided from the conversation alone. Pure. */
function decideDemoStep (prompt: LanguageModelV4Prompt, tools?: ReadonlySet<string>): DemoStep {
  const lastAnswer = prompt.findLastIndex(({ role }) => role === 'assistant')
  const fresh = prompt.slice(lastAnswer + 1)
  const results = fresh.flatMap((message) => message.role === 'tool' ? message.content : [])
    .filter((part): part is LanguageModelV4ToolResultPart => part.type === 'tool-result')
  const said = fresh.findLast((message) => message.role === 'user')
  const request = said === undefined ? '' : textOf(said)

  if (results.length === 0) return matchRule(request, tools)
  const report = results.map(quoteResult).join('\n\n')
  // A note that arrived while the tool ran is obeyed next.
  if (request === '') return { rule: 'a tool has answered: quote its result', text: report }
  const next = matchRule(request, tools)
  return { ...next, text: next.text === undefined ? report : `${report}\n\n${next.text}` }
}

function matchRule (whole: string, tools: ReadonlySet<string> | undefined): DemoStep {
  // What a scheduled job is to do stands behind an introduction.
  const request = whole.startsWith('[') ? whole.slice(whole.lastIndexOf('\n\n') + 1).trim() : whole
  for (const { name, pattern, step } of rules) {
    const match = pattern.exec(request)
    if (match === null) continue
    const found = step(match)
    if (found.call !== undefined && tools?.has(found.call.toolName) === false) {
      return { rule: name, text: `The rule \`${name}\` needs the tool ${found.call.toolName}, which this conversation does not offer.` }
    }
    return { rule: name, ...found }
  }
  return { rule: 'none', text: `No rule matches this message. ${helpText}` }
}

function textOf (message: LanguageModelV4Prompt[number]): string {
  if (message.role !== 'user') return ''
  return message.content.flatMap((part) => part.type === 'text' ? [part.text] : []).join('\n').trim()
}

function quoteResult ({ toolName, output }: LanguageModelV4ToolResultPart): string {
  switch (output.type) {
    case 'execution-denied':
      return `The call of ${toolName} was denied${output.reason === undefined ? '.' : `: ${output.reason}`}`
    case 'text': return `${toolName} returned:\n\n${quote(output.value)}`
    case 'error-text': return `${/denied|not approved|rejected/i.test(output.value) ? `The call of ${toolName} was denied` : `${toolName} failed`}:\n\n${quote(output.value)}`
    case 'error-json': return `${toolName} failed:\n\n${quote(JSON.stringify(output.value, null, 2))}`
    case 'json': return `${toolName} returned:\n\n${quote(JSON.stringify(output.value, null, 2))}`
    case 'content': return `${toolName} returned:\n\n${quote(output.value.map((part) => part.type === 'text' ? part.text : `(${part.type})`).join('\n'))}`
  }
}

/** A code block whose fence is longer than any inside it, so that the text stays as it is. */
function quote (text: string): string {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)))
  return `${fence}\n${text}\n${fence}`
}

/**
 * A language model without a model: a fixed grammar over the last message, real tool calls, and replies that say what they
 * are. It ends by itself after a tool's result. `wordsPerSecond` 0 = no delay.
 */
export function createOfflineDemo ({ wordsPerSecond = 60 }: { wordsPerSecond?: number | undefined } = {}): LanguageModelV4 {
  const wordMs = wordsPerSecond > 0 ? 1000 / wordsPerSecond : 0
  return {
    specificationVersion: 'v4',
    provider: offlineDemoId,
    modelId: offlineDemoId,
    supportedUrls: {},
    doStream: async (options) => ({ stream: streamOf((signal) => partsOf(options, wordMs, signal), options.abortSignal) }),
    doGenerate: async ({ prompt }) => wholeAnswer(prompt)
  }
}

async function * partsOf (
  options: LanguageModelV4CallOptions, wordMs: number, signal: AbortSignal | undefined
): AsyncGenerator<LanguageModelV4StreamPart> {
  const step = decideDemoStep(options.prompt, options.tools === undefined ? undefined : new Set(options.tools.map(({ name }) => name)))
  const thought = step.rule === 'none' ? 'No rule matched the message.' : `Rule matched: ${step.rule}.`
  const text = step.text === undefined ? '' : `${offlineDemoNotice}\n\n${step.text}`
  const input = step.call === undefined ? '' : JSON.stringify(step.call.input)

  yield { type: 'stream-start', warnings: [] }
  yield { type: 'reasoning-start', id: 'thought' }
  for await (const delta of spoken(thought, wordMs, signal)) yield { type: 'reasoning-delta', id: 'thought', delta }
  yield { type: 'reasoning-end', id: 'thought' }
  if (text !== '') {
    yield { type: 'text-start', id: 'reply' }
    const quick = step.slow === true ? `${offlineDemoNotice}\n\n` : text
    for await (const delta of spoken(quick, wordMs, signal)) yield { type: 'text-delta', id: 'reply', delta }
    for await (const delta of spoken(text.slice(quick.length), wordMs * 10, signal)) yield { type: 'text-delta', id: 'reply', delta }
    yield { type: 'text-end', id: 'reply' }
  }
  if (step.call !== undefined) {
    const id = `demo_${crypto.randomUUID()}`
    yield { type: 'tool-input-start', id, toolName: step.call.toolName }
    yield { type: 'tool-input-delta', id, delta: input }
    yield { type: 'tool-input-end', id }
    yield { type: 'tool-call', toolCallId: id, toolName: step.call.toolName, input }
  }
  yield {
    type: 'finish',
    finishReason: { unified: step.call === undefined ? 'stop' : 'tool-calls', raw: undefined },
    usage: estimatedUsage(JSON.stringify(options.prompt).length, text.length + input.length, thought.length),
    providerMetadata: { [offlineDemoId]: { estimated: true } }
  }
}

/** The words of a text, each with the white space after it, at a pace. Throws the signal's reason when it is aborted. */
async function * spoken (text: string, wordMs: number, signal: AbortSignal | undefined): AsyncGenerator<string> {
  for (const [word] of text.matchAll(/\s*\S+\s*/g)) {
    signal?.throwIfAborted()
    if (wordMs > 0) await delay(wordMs, undefined, signal === undefined ? {} : { signal })
    yield word
  }
}

/** About four characters are one token. */
function estimatedUsage (promptLength: number, answerLength: number, thoughtLength: number): LanguageModelV4Usage {
  const tokens = (length: number): number => Math.ceil(length / 4)
  const input = tokens(promptLength)
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: tokens(answerLength) + tokens(thoughtLength), text: tokens(answerLength), reasoning: tokens(thoughtLength) },
    raw: { estimated: true }
  }
}

/** A stream that stops its source, timers included, when it is aborted or nobody reads it any more. */
function streamOf (
  source: (signal: AbortSignal) => AsyncGenerator<LanguageModelV4StreamPart>,
  outer: AbortSignal | undefined
): ReadableStream<LanguageModelV4StreamPart> {
  const stop = new AbortController()
  const onAbort = (): void => stop.abort(outer?.reason)
  if (outer?.aborted === true) onAbort()
  else outer?.addEventListener('abort', onAbort, { once: true })
  const parts = source(stop.signal)
  const forget = (): void => outer?.removeEventListener('abort', onAbort)
  return new ReadableStream<LanguageModelV4StreamPart>({
    async pull (controller) {
      try {
        const { done, value } = await parts.next()
        if (done !== true) return controller.enqueue(value)
        forget()
        controller.close()
      } catch (error) {
        forget()
        // A timer rejects with an error of its own; what the caller gave as the reason says more.
        controller.error(stop.signal.aborted ? stop.signal.reason : error)
      }
    },
    cancel () {
      forget()
      stop.abort()
    }
  })
}

/** Whole answers are asked for by small tasks beside the turn; the instruction's first line says by which. */
function wholeAnswer (prompt: LanguageModelV4Prompt): LanguageModelV4GenerateResult {
  const instruction = prompt.flatMap((message) => message.role === 'system' ? [message.content] : []).join('\n')
  const last = prompt.findLast(({ role }) => role === 'user')
  const material = last === undefined ? '' : textOf(last)
  const text = answerTo(instruction, material)
  return {
    content: [{ type: 'text', text }],
    finishReason: { unified: 'stop', raw: undefined },
    usage: estimatedUsage(JSON.stringify(prompt).length, text.length, 0),
    warnings: [],
    providerMetadata: { [offlineDemoId]: { estimated: true } }
  }
}

function answerTo (instruction: string, material: string): string {
  if (instruction.startsWith(compressionMark)) return summaryOf(material)
  if (instruction.startsWith(judgeMark)) return JSON.stringify(judgementOf(material))
  return titleOf(material)
}

/** The first words of what was said. */
function titleOf (material: string): string {
  const line = material.replace(/^(?:user|question)\s*:\s*/i, '').split('\n').find((candidate) => candidate.trim() !== '') ?? ''
  return line.trim().split(/\s+/).slice(0, 6).join(' ')
}

const summaryNotice = 'Fixed rules wrote this summary, not an AI model: the beginning of each message of the user, and the tools that were called.'
const summaryLines = 60

/** An extract: nothing is understood, so nothing is left out for being unimportant, only for being old. */
function summaryOf (material: string): string {
  const lines = readQuoted(material).flatMap(({ label, text }) => {
    if (label === earlierSummaryLabel) return text.split('\n').filter((line) => /^- (?:User:|Tool called:) /.test(line))
    if (label === userLabel) return [`- User: ${firstWords(text, 12)}`]
    return label.startsWith(`${callLabel} `) ? [`- Tool called: ${label.slice(callLabel.length + 1)}`] : []
  })
  const oldest = lines.length > summaryLines ? ['(Older lines are left out.)'] : []
  return [summaryNotice, '', ...oldest, ...lines.slice(-summaryLines)].join('\n')
}

function firstWords (text: string, count: number): string {
  const words = text.trim().split(/\s+/)
  return words.slice(0, count).join(' ') + (words.length > count ? ' …' : '')
}

/** One turn is enough, a second one is given when the first ends with a question or had a call that failed. */
function judgementOf (material: string): { verdict: 'done' | 'continue', reason: string } {
  const blocks = readQuoted(material)
  const blockOf = (name: string): string => blocks.find(({ label }) => label === name)?.text ?? ''
  const answer = blockOf(answerLabel).trim()
  const isOpen = answer.endsWith('?') || /^(?:The call of \S+ was denied|\S+ failed:)/m.test(answer)
  if (isOpen && Number(blockOf(turnsLabel)) < 2) {
    return {
      verdict: 'continue', reason: 'The demo gives a goal a second turn when the first one ends with a question, a failure or a denial.'
    }
  }
  return {
    verdict: 'done',
    reason: 'The demo counts a goal as reached after one turn, or two when the first one went wrong; it does not understand goals.'
  }
}
