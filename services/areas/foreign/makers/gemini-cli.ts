// Gemini CLI appends to ~/.gemini/tmp/<project>/chats/session-<minute>-<beginning of the id>.jsonl: first the facts about the session, then
// messages, `$set` with changes to those facts (`summary`, or `messages`: the whole history as it is sent from now on) and `$rewindTo`. A
// message that grows is written again as a whole under its id. Results are stored with the calls, and appear again as a user's message.

import { basename, dirname } from 'node:path'
import { Unavailable } from '../../../ground/errors.js'
import { asCount, asEntries, asEntry, asText, asTime, RecentKeys, titleRanks, type Entry, type Fact, type Reader, type Stamp } from '../facts.js'
import { fileStore, readBeside } from '../file-store.js'
import { openRegular, parseLine, readLines } from '../lines.js'
import { elsewhere, uuid, type Maker } from '../maker.js'

const nameForm = /^session-(\d{4}-\d\d-\d\dT\d\d-\d\d)-.+\.jsonl$/
/** The first line holds only the facts about the session. */
const longestHead = 64 * 1024

export const geminiCli: Maker = {
  source: 'gemini_cli',
  name: 'Gemini CLI',
  preset: 'gemini-cli',
  suffix: 'gemini',
  root: '.gemini/tmp',
  // Folders deeper down hold conversations of sub-agents.
  store: (root, limit) => fileStore({
    root, limit, depth: { least: 2, most: 2 }, isSession: (name) => nameForm.test(name),
    workspaceOf: async (path) => await readBeside(dirname(dirname(path)), '.project_root')
  }),
  reader: createGeminiReader,
  idOf: (name) => name.slice(0, -'.jsonl'.length),
  nativeId,
  id: uuid,
  // The name of the folder in there depends on the workspace's path.
  outOfPlace: ({ workspace }, folder) => workspace === folder ? null : elsewhere,
  // It creates a file named after the minute before it looks for the one to continue, and confuses the two.
  notNow: (path, nowMs) => nameForm.exec(basename(path))?.[1] === new Date(nowMs).toISOString().slice(0, 16).replace(':', '-')
    ? 'Gemini CLI cannot take up a conversation in the minute in which it began. Try again in a minute'
    : null
}

async function nativeId (path: string): Promise<string> {
  const handle = await openRegular(path)
  if (handle === null) throw new Unavailable('The file of this conversation is missing or cannot be read')
  try {
    let id: string | null = null
    await readLines(handle, { from: 0, to: Math.min((await handle.stat()).size, longestHead), pause: async () => {} }, (line) => {
      id = asText(parseLine(line)?.sessionId, 200)
      return false
    })
    return id ?? ''
  } finally {
    await handle.close()
  }
}

/** How much of a message has been reported: it may appear again with more. */
interface Known { texts: number, thoughts: number, calls: Set<string>, results: Set<string> }

/** Reads the entries of a Gemini CLI session. Includes what was rewound there later, because it was said. */
function createGeminiReader (): Reader {
  const known = new RecentKeys<Known>()

  function user (entry: Entry, stamp: Stamp): Fact[] {
    if (stamp.uuid !== undefined && known.get(stamp.uuid) !== undefined) return []
    if (stamp.uuid !== undefined) known.set(stamp.uuid, nothing())
    const parts = partsOf(entry.displayContent ?? entry.content)
    const text = parts.flatMap((part) => asText(part.text) ?? []).filter((piece) => !isOwn(piece)).join('\n\n').trim()
    if (text !== '') return [{ t: 'user', text, rank: text.startsWith('/') ? titleRanks.command : titleRanks.text, ...stamp }]
    const hasFile = parts.some((part) => asEntry(part.inlineData) !== null || asEntry(part.fileData) !== null)
    return hasFile ? [{ t: 'user', text: '[image]', rank: titleRanks.none, ...stamp }] : []
  }

  function model (entry: Entry, stamp: Stamp): Fact[] {
    const answer = stamp.uuid ?? `at-${String(stamp.atS)}`
    const told = known.get(answer) ?? nothing()
    known.set(answer, told)
    const facts: Fact[] = []
    const thoughts = asEntries(entry.thoughts).flatMap((thought) =>
      [asText(thought.subject), asText(thought.description)].filter((part) => part !== null).join('\n') || [])
    for (const reasoning of thoughts.slice(told.thoughts)) facts.push({ t: 'answer', answer, reasoning, ...stamp })
    told.thoughts = Math.max(told.thoughts, thoughts.length)
    const texts = partsOf(entry.content).flatMap((part) => asText(part.text)?.trim() || [])
    for (const text of texts.slice(told.texts)) facts.push({ t: 'answer', answer, text, ...stamp })
    told.texts = Math.max(told.texts, texts.length)
    const calls = asEntries(entry.toolCalls)
    for (const call of calls) {
      const id = asText(call.id, 200)
      const name = asText(call.name, 200)
      if (id === null || name === null || told.calls.has(id)) continue
      told.calls.add(id)
      facts.push({ t: 'answer', answer, call: { id, name, args: call.args }, ...stamp })
    }
    facts.push(...calls.flatMap((call) => result(call, told)))
    const name = asText(entry.model, 200)
    if (name !== null) facts.push({ t: 'model', model: name })
    const tokens = asEntry(entry.tokens)
    if (tokens !== null) {
      facts.push({
        t: 'usage', answer, inputTokens: asCount(tokens.input), cacheReadTokens: asCount(tokens.cached),
        outputTokens: asCount(tokens.output) + asCount(tokens.thoughts)
      })
    }
    return facts
  }

  return {
    read (entry) {
      if (entry.sessionId !== undefined && entry.type === undefined) return head(entry)
      const set = asEntry(entry.$set)
      if (set !== null) return title(set)
      const stamp: Stamp = { uuid: asText(entry.id, 200) ?? undefined, atS: asTime(entry.timestamp) }
      if (entry.type === 'user') return user(entry, stamp)
      if (entry.type === 'gemini') return model(entry, stamp)
      return entry.type === 'error' ? [{ t: 'pace', isAtWork: false }] : []
    }
  }
}

const nothing = (): Known => ({ texts: 0, thoughts: 0, calls: new Set(), results: new Set() })

function head (entry: Entry): Fact[] {
  const id = asText(entry.sessionId, 200)
  const atS = asTime(entry.startTime)
  return [
    ...id === null ? [] : [{ t: 'id' as const, id }],
    ...atS === undefined ? [] : [{ t: 'began' as const, atS }],
    ...entry.kind === 'subagent' ? [{ t: 'left_out' as const }] : [],
    ...title(entry)
  ]
}

function title (entry: Entry): Fact[] {
  const text = asText(entry.summary, 1_000)
  return text === null ? [] : [{ t: 'title', text, rank: titleRanks.generated }]
}

const ended = new Set<unknown>(['success', 'error', 'cancelled'])

function result (call: Entry, told: Known): Fact[] {
  const callId = asText(call.id, 200)
  if (callId === null || told.results.has(callId) || !ended.has(call.status)) return []
  told.results.add(callId)
  const pieces = partsOf(call.result).flatMap((part) => {
    const response = asEntry(asEntry(part.functionResponse)?.response)
    return asText(response?.output) ?? asText(response?.error) ?? asText(part.text) ?? []
  })
  const text = pieces.length > 0 ? pieces.join('\n') : asText(call.resultDisplay) ?? ''
  return [{ t: 'result', callId, text, isError: call.status !== 'success', atS: asTime(call.timestamp) }]
}

/** Converts content to parts; a plain text becomes one part. */
function partsOf (content: unknown): Entry[] {
  const parts: unknown[] = Array.isArray(content) ? content : [content]
  return asEntries(parts.map((part) => typeof part === 'string' ? { text: part } : part))
}

/** Whether the program itself has added this text to the user's messages. */
const isOwn = (text: string): boolean => /^\s*<(?:session_context|hook_context|state_snapshot)>/.test(text) || text.startsWith('\n--- Content from referenced files ---')
