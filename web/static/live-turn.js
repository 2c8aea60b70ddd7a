/* global requestAnimationFrame */
import { announce, el } from './dom.js'
import { renderMarkdown } from './markdown.js'
import { reasoningBlock, textOf, toolLine, userRow } from './rows.js'

/**
 * Draws a turn from its frames while it runs, in the shape its stored messages will have.
 * @param {Map<string, string[]>} [notesAfterCall] what the person added meanwhile, by the tool call it came after
 */
export function createLiveTurn (notesAfterCall = new Map()) {
  const steps = []
  const calls = new Map()
  const working = el('p', { class: 'working' }, el('span', { class: 'pulse', 'aria-hidden': 'true' }), el('span', { class: 'words' }, 'Working'))
  const rows = el('div', { class: 'rows' })
  const element = el('section', { class: 'live', 'aria-label': 'Running turn', 'aria-busy': 'true' }, rows, working)
  let isDrawPending = false
  let compression = null

  /** The step that is being heard: a tool call ends one, as it does in the transcript. */
  function step () {
    const last = steps.at(-1)
    if (last !== undefined && last.tools === 0) return last
    const added = { row: el('article', { class: 'row assistant', 'aria-label': 'Answer' }), reasoning: '', text: '', shown: {}, thoughts: null, body: null, tools: 0 }
    rows.append(added.row)
    steps.push(added)
    return added
  }

  function hear (kind, text) {
    say('Working')
    step()[kind] += text
    if (isDrawPending) return
    isDrawPending = true
    requestAnimationFrame(draw)
  }

  /** Once per painted frame, however fast the words come. */
  function draw () {
    isDrawPending = false
    for (const one of steps) {
      if (one.reasoning !== (one.shown.reasoning ?? '')) {
        if (one.thoughts === null) one.row.prepend((one.thoughts = reasoningBlock()).element)
        one.thoughts.show(one.reasoning)
      }
      if (one.text !== (one.shown.text ?? '')) {
        if (one.body === null) {
          one.body = el('div', { class: 'text' })
          if (one.thoughts === null) one.row.prepend(one.body)
          else one.thoughts.element.after(one.body)
        }
        renderMarkdown(one.body, one.text)
      }
      one.shown = { reasoning: one.reasoning, text: one.text }
    }
  }

  /** The text of the step that is being heard is this one: after a failed attempt, none. */
  function replaceText (text) {
    const last = steps.at(-1)
    if (last !== undefined && last.tools === 0) {
      steps.pop()
      last.row.remove()
    }
    if (text !== '') hear('text', text)
  }

  function startCall ({ tid, name, preview, args }) {
    draw()
    const current = steps.at(-1) ?? step()
    current.tools++
    const line = toolLine({ id: tid, name, preview, args })
    calls.set(tid, line)
    current.row.append(line.element)
    say(`Working: ${name}`)
  }

  function endCall ({ tid, preview, duration, is_error: isError }) {
    calls.get(tid)?.finish({ isError, durationS: duration, result: preview ?? '' })
    say('Working')
    for (const note of notesAfterCall.get(tid) ?? []) addNote(note)
  }

  function addNote (content) {
    rows.append(userRow({ content, _source: 'steer' }))
  }

  /** One line tells that the conversation is being summarised, and then that it was. */
  function tellCompression (message) {
    if (compression === null) rows.append(compression = el('p', { class: 'event' }))
    compression.textContent = message
    announce(message)
  }

  function say (words) {
    const shown = working.lastElementChild
    if (shown.textContent !== words) shown.textContent = words
  }

  return {
    element,
    addNote,
    say,
    /**
     * Takes one frame; those that draw nothing are ignored.
     * @param {string} event
     * @param {any} payload
     */
    apply (event, payload) {
      switch (event) {
        case 'token': return hear('text', payload.text)
        case 'reasoning': return hear('reasoning', payload.text)
        case 'interim_assistant': return payload.already_streamed ? undefined : replaceText(payload.text)
        case 'tool': return startCall(payload)
        case 'tool_complete': return endCall(payload)
        case 'warning':
          if (payload.type === 'compression_failed') tellCompression(payload.message)
          return say(payload.message)
        case 'compressing': return tellCompression(payload.message)
        case 'compressed':
          tellCompression(payload.message)
          compression = null
      }
    },
    /** Nothing more will come: what stands stays, without the sign of work. */
    end () {
      draw()
      working.remove()
      element.setAttribute('aria-busy', 'false')
      for (const call of calls.values()) call.abandon()
    }
  }
}

/**
 * Where in a running turn the person's additions belong: after the tool call that stands before them.
 * @param {object[]} messages its stored rows so far
 * @returns {Map<string, string[]>}
 */
export function notesAfterCalls (messages) {
  const notes = new Map()
  let callId = null
  for (const message of messages) {
    if (message.role === 'tool') callId = message.tool_call_id
    else if (message.role === 'user' && callId !== null) notes.set(callId, [...(notes.get(callId) ?? []), textOf(message.content)])
  }
  return notes
}
