// Claude Code appends to ~/.claude/projects/<folder>/<session>.jsonl: entries of type user, assistant, system, summary and others. Each
// block of an answer is an entry of its own with the same message.id; results of tools are user entries and may come between the blocks of
// one answer, because tools start while the model is still writing.

import { basename, dirname } from 'node:path'
import { fileStore } from '../file-store.js'
import { elsewhere, uuid, type Maker } from '../maker.js'
import {
  asCount, asEntries, asEntry, asText, asTime, insideBlock, RecentKeys, titleRanks, withoutBlocks,
  type Entry, type Fact, type Reader, type Stamp, type TitleRank
} from '../facts.js'

/** What the program itself adds to the user's messages. */
const ownTags = new Set([
  'system-reminder', 'command-name', 'command-message', 'command-args', 'command-contents', 'local-command-caveat',
  'local-command-stdout', 'local-command-stderr', 'bash-input', 'bash-stdout', 'bash-stderr', 'user-prompt-submit-hook',
  'ide_opened_file', 'ide_selection', 'ide_diagnostics', 'new-diagnostics', 'task-notification', 'available-deferred-tools'
])
const interrupted = /^\[Request interrupted by user[^\]]{0,40}\]$/
/** The model name of messages that no model wrote. */
const synthetic = '<synthetic>'

const idOf = (name: string): string => name.slice(0, -'.jsonl'.length)

export const claudeCode: Maker = {
  source: 'claude_code',
  name: 'Claude Code',
  preset: 'claude-code',
  suffix: 'claude',
  root: '.claude/projects',
  // Folders deeper down and files called agent-… hold conversations of sub-agents.
  store: (root, limit) => fileStore({
    root, limit, depth: { least: 1, most: 1 }, isSession: (name) => name.endsWith('.jsonl') && !name.startsWith('agent-')
  }),
  reader: createClaudeReader,
  idOf,
  nativeId: async (path) => idOf(basename(path)),
  id: uuid,
  // Its agent looks for the conversation in that folder, and sees no other one in the sandbox.
  outOfPlace: ({ path }, folder) => basename(dirname(path)) === folder.replaceAll(/[^A-Za-z0-9]/g, '-') ? null : elsewhere
}

/** Reads the entries of a Claude Code session. Skips entries of sub-agents (sidechains). */
function createClaudeReader (): Reader {
  const titles = createSummaries()
  let line = 0
  /** A typed command: part of the conversation only if the model answers it. */
  let command: Fact | null = null

  function user (entry: Entry, stamp: Stamp): Fact[] {
    // Text that was not typed: expanded commands, caveats, the summary of a compacted conversation.
    if (entry.isMeta === true || entry.isCompactSummary === true || entry.isVisibleInTranscriptOnly === true) return []
    const content = asEntry(entry.message)?.content
    const results = asEntries(content).flatMap((part) => result(part, stamp))
    const origin = asText(asEntry(entry.origin)?.kind)
    if (origin !== null && origin !== 'human') return results
    const raw = textsOf(content)
    const typed = commandOf(raw)
    if (typed !== null) command = { t: 'user', text: typed, rank: titleRanks.command, ...stamp }
    else if (raw.some((text) => text.includes('<local-command-std'))) command = null
    const text = raw.map(cleaned).filter((part) => part !== '').join('\n\n')
    if (raw.some((part) => interrupted.test(part.trim()))) results.push({ t: 'pace', isAtWork: false })
    if (text !== '') return [...results, { t: 'user', text, rank: titleRanks.text, ...stamp }]
    if (!asEntries(content).some((part) => part.type === 'image')) return results
    return [...results, { t: 'user', text: '[image]', rank: titleRanks.none, ...stamp }]
  }

  function assistant (entry: Entry, stamp: Stamp): Fact[] {
    const message = asEntry(entry.message)
    const isError = entry.isApiErrorMessage === true
    if (message === null || (message.model === synthetic && !isError)) return []
    const facts: Fact[] = command === null ? [] : [command]
    command = null
    const answer = asText(message.id, 200) ?? stamp.uuid ?? `line-${line}`
    const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : asEntries(message.content)
    for (const block of blocks) {
      const part = partOf(block)
      if (part !== null) facts.push({ t: 'answer', answer, ...part, ...(isError ? { isError } : {}), ...stamp })
    }
    const model = asText(message.model, 200)
    if (model !== null && model !== synthetic) facts.push({ t: 'model', model })
    const usage = asEntry(message.usage)
    if (usage !== null) facts.push({ t: 'usage', answer, ...tokensOf(usage) })
    if (message.stop_reason === 'tool_use') facts.push({ t: 'pace', isAtWork: true })
    return facts
  }

  /** Reads what was typed while the model worked, and reached it between two steps. */
  function queued (entry: Entry, stamp: Stamp): Fact[] {
    const attachment = asEntry(entry.attachment)
    if (attachment?.type !== 'queued_command' || (attachment.commandMode ?? 'prompt') !== 'prompt') return []
    return user({ origin: attachment.origin, message: { content: attachment.prompt } }, stamp)
  }

  return {
    read (entry) {
      line++
      if (entry.isSidechain === true) return []
      const stamp: Stamp = { uuid: asText(entry.uuid, 200) ?? undefined, atS: asTime(entry.timestamp) }
      const facts = titles.read(entry)
      const cwd = asText(entry.cwd, 4096)
      if (cwd !== null) facts.push({ t: 'workspace', path: cwd })
      if (entry.type === 'user') facts.push(...user(entry, stamp))
      else if (entry.type === 'assistant') facts.push(...assistant(entry, stamp))
      else if (entry.type === 'attachment') facts.push(...queued(entry, stamp))
      return facts
    },
    link: (entry) => ({ id: asText(entry.uuid, 200), parent: asText(entry.parentUuid, 200) })
  }
}

/**
 * Titles. A summary names the last entry of its conversation, which need not be in this file: versions of 2025 wrote the summaries of older
 * conversations at the beginning of a new one.
 */
function createSummaries () {
  const seen = new RecentKeys<true>()
  const waiting = new RecentKeys<string>()

  function title (text: unknown, rank: TitleRank): Fact[] {
    const found = asText(text, 1_000)
    return found === null ? [] : [{ t: 'title', text: found, rank }]
  }

  return {
    read (entry: Entry): Fact[] {
      if (entry.type === 'custom-title') return title(entry.customTitle, titleRanks.given)
      if (entry.type === 'ai-title') return title(entry.aiTitle, titleRanks.generated)
      const summary = entry.type === 'summary' ? asText(entry.summary, 1_000) : null
      if (summary !== null) {
        const leaf = asText(entry.leafUuid, 200)
        if (leaf === null || seen.get(leaf) !== undefined) return title(summary, titleRanks.summary)
        waiting.set(leaf, summary)
        return []
      }
      const uuid = asText(entry.uuid, 200)
      if (uuid === null) return []
      seen.set(uuid, true)
      return title(waiting.get(uuid), titleRanks.summary)
    }
  }
}

function partOf (block: Entry): { text: string } | { reasoning: string } | { call: { id: string, name: string, args: unknown } } | null {
  if (block.type === 'text') {
    const text = asText(block.text)
    return text === null || text.trim() === '' ? null : { text }
  }
  if (block.type === 'thinking') {
    const reasoning = asText(block.thinking)
    return reasoning === null ? null : { reasoning }
  }
  const id = asText(block.id, 200)
  const name = asText(block.name, 200)
  return block.type === 'tool_use' && id !== null && name !== null ? { call: { id, name, args: block.input } } : null
}

function result (part: Entry, stamp: Stamp): Fact[] {
  const callId = asText(part.tool_use_id, 200)
  if (part.type !== 'tool_result' || callId === null) return []
  const text = typeof part.content === 'string'
    ? part.content
    : asEntries(part.content).map((piece) => piece.type === 'image' ? '[image]' : asText(piece.text) ?? '').join('\n')
  return [{ t: 'result', callId, text: withoutBlocks(text, reminders).trimEnd(), isError: part.is_error === true, ...stamp }]
}

const reminders = new Set(['system-reminder'])

function textsOf (content: unknown): string[] {
  if (typeof content === 'string') return [content]
  return asEntries(content).flatMap((part) => part.type === 'text' ? asText(part.text) ?? [] : [])
}

function cleaned (text: string): string {
  const rest = withoutBlocks(text, ownTags).trim()
  return interrupted.test(rest) ? '' : rest
}

/** Returns `/name args` or `! shell command` as it was typed. */
function commandOf (texts: string[]): string | null {
  for (const text of texts) {
    const name = insideBlock(text, 'command-name')
    if (name !== null && name !== '') return `${name.startsWith('/') ? name : `/${name}`} ${insideBlock(text, 'command-args') ?? ''}`.trim()
    const shell = insideBlock(text, 'bash-input')
    if (shell !== null && shell !== '') return `! ${shell}`
  }
  return null
}

/** Returns all tokens sent: those read from and written to a cache are counted apart from `input_tokens`. */
function tokensOf (usage: Entry) {
  return {
    inputTokens: asCount(usage.input_tokens) + asCount(usage.cache_creation_input_tokens) + asCount(usage.cache_read_input_tokens),
    outputTokens: asCount(usage.output_tokens),
    cacheReadTokens: asCount(usage.cache_read_input_tokens)
  }
}
