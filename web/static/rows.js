import { attachedList, withoutMarker } from './attached.js'
import { el } from './dom.js'
import { renderMarkdown } from './markdown.js'

/** What a tool is about to do, as the live stream told it; the stored transcript knows only the arguments. */
const previews = new Map()

/** Why a message of the person was not typed as one. */
const sources = { steer: 'Added while working', goal: 'Goal' }

/**
 * Draws stored messages.
 * @param {object[]} messages rows of the transcript, in order
 * @param {{ key: object, text: string } | null} [summary] what the model is shown instead of the messages up to one
 * @param {string | null} [sessionId] whose files are attached
 * @returns {HTMLElement[]}
 */
export function renderMessages (messages, summary = null, sessionId = null) {
  const rows = []
  const calls = new Map()
  for (const message of messages) {
    if (message.role === 'user') rows.push(userRow(message, sessionId))
    else if (message.role === 'assistant') rows.push(assistantRow(message, calls))
    else if (message.role === 'tool') {
      let call = calls.get(message.tool_call_id)
      if (call === undefined) {
        call = toolLine({ id: message.tool_call_id, name: message.name })
        rows.push(el('article', { class: 'row assistant' }, call.element))
      }
      call.finish({ isError: message.is_error === true, durationS: message.duration, result: textOf(message.content) })
    }
    if (summary !== null && isAnchor(message, summary.key)) rows.push(summaryDivider(summary.text))
  }
  for (const call of calls.values()) call.abandon()
  return rows
}

/**
 * @param {object} session
 * @returns {{ key: object, text: string } | null} the summary that stands for its earlier messages
 */
export function summaryOf ({ compression_anchor_message_key: key, compression_anchor_summary: text }) {
  return key === null || text === null ? null : { key, text }
}

/**
 * The last message that only the summary tells of. It is known by its key: its index counts from the first message, and
 * a window of a long transcript does not know how many come before it.
 */
function isAnchor ({ role, timestamp, content }, { role: anchorRole, ts, text }) {
  return role === anchorRole && timestamp === ts && (typeof content === 'string' ? content.replaceAll(/\s+/g, ' ').trim().slice(0, 160) : '') === text
}

function summaryDivider (text) {
  const body = el('div', { class: 'text' })
  renderMarkdown(body, text)
  return el('div', { class: 'divider', role: 'note', 'aria-label': 'Summary' },
    el('p', {}, 'Earlier messages were summarised for the model'),
    el('details', {}, el('summary', {}, 'Summary'), body))
}

/**
 * A message of the person. `_source: 'steer'` marks one that was added while the agent worked, `goal` one of a goal.
 * @param {{ content: string | object[], attachments?: Array<string | object>, _source?: string }} message
 * @param {string | null} [sessionId] whose files are attached
 * @returns {HTMLElement}
 */
export function userRow ({ content, attachments = [], _source: source }, sessionId = null) {
  const text = textOf(content)
  return el('article', { class: 'row user', 'aria-label': 'You' },
    sources[source] === undefined ? null : el('p', { class: 'mark' }, sources[source]),
    el('div', { class: 'text plain' }, attachments.length === 0 ? text : withoutMarker(text)),
    attachedList(attachments, sessionId))
}

/**
 * A row of its own for something that went wrong and is not in the transcript.
 * @param {{ message: string, hint?: string }} error
 * @returns {HTMLElement}
 */
export function errorRow ({ message, hint }) {
  return el('article', { class: 'row assistant error', role: 'alert' },
    el('div', { class: 'text' }, el('p', {}, message), hint === undefined ? null : el('p', { class: 'hint' }, hint)))
}

/**
 * The agent's thoughts, folded.
 * @returns {{ element: HTMLElement, show: (text: string) => void }}
 */
export function reasoningBlock () {
  const body = el('div', { class: 'text plain' })
  return {
    element: el('details', { class: 'reasoning' }, el('summary', {}, 'Reasoning'), body),
    show (text) { body.textContent = text }
  }
}

/**
 * One tool call as a line that unfolds to its result.
 * @param {{ id?: string, name: string, preview?: string | null, args?: object }} call
 */
export function toolLine ({ id, name, preview, args }) {
  if (preview) previews.set(id, preview)
  const state = el('span', { class: 'state' })
  const duration = el('span', { class: 'duration' })
  const result = el('pre', { tabIndex: 0 }, 'No result yet')
  const element = el('details', { class: 'tool running' },
    el('summary', {}, state, el('span', { class: 'name' }, name), el('span', { class: 'preview' }, previews.get(id) ?? describeArgs(args)), duration),
    result)
  const settle = (look, word) => {
    element.className = `tool ${look}`
    state.textContent = word
  }
  settle('running', 'running')
  return {
    element,
    /** @param {{ isError: boolean, durationS?: number, result: string }} outcome */
    finish (outcome) {
      settle(outcome.isError ? 'failed' : 'done', outcome.isError ? 'failed' : 'done')
      duration.textContent = outcome.durationS === undefined ? '' : formatDuration(outcome.durationS)
      result.textContent = outcome.result === '' ? '(nothing)' : outcome.result
    },
    /** The call never came to a result. */
    abandon () {
      if (element.classList.contains('running')) settle('failed', 'no result')
    }
  }
}

/**
 * @param {string | Array<string | { type: string, text?: string }>} content
 * @returns {string} the readable part of a message's content
 */
export function textOf (content) {
  if (typeof content === 'string') return content
  return content.map((part) => typeof part === 'string' ? part : part.text ?? '').filter((text) => text !== '').join('\n')
}

function assistantRow (message, calls) {
  const { reasoning, tool_calls: toolCalls = [], _error: isError, _partial: isPartial, finish_reason: cut, hint } = message
  const content = textOf(message.content)
  const row = el('article', { class: `row assistant${isError === true ? ' error' : ''}`, 'aria-label': 'Answer' })
  if (reasoning !== undefined && reasoning !== '') {
    const block = reasoningBlock()
    block.show(reasoning)
    row.append(block.element)
  }
  if (content.trim() !== '') {
    const text = el('div', { class: 'text' })
    renderMarkdown(text, content)
    row.append(text)
  }
  for (const { id, function: { name, arguments: args } } of toolCalls) {
    const line = toolLine({ id, name, args: parsed(args) })
    calls.set(id, line)
    row.append(line.element)
  }
  if (isPartial === true) row.append(el('p', { class: 'mark' }, 'Stopped here'))
  if (cut === 'length' || cut === 'content_filter') row.append(el('p', { class: 'mark' }, `Cut short. ${hint ?? ''}`.trim()))
  const facts = [message._usedModel, message._turnDuration === undefined ? undefined : formatDuration(message._turnDuration)].filter((fact) => fact !== undefined)
  if (facts.length > 0) row.append(el('p', { class: 'facts' }, facts.join(' · ')))
  return row
}

function describeArgs (args = {}) {
  const telling = ['command', 'path', 'pattern', 'question', 'url', 'query'].find((key) => typeof args[key] === 'string')
  if (telling !== undefined) return args[telling]
  const text = JSON.stringify(args)
  return text === '{}' ? '' : text.slice(0, 120)
}

function parsed (json) {
  try {
    return JSON.parse(json)
  } catch {
    return {}
  }
}

function formatDuration (seconds) {
  if (seconds < 0.1) return `${Math.max(1, Math.round(seconds * 1000))} ms`
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}
