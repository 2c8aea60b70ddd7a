/* global setInterval, clearInterval */
import { get, post, refresher } from './api.js'
import { diffView } from './diff-view.js'
import { announce, el } from './dom.js'
import { visibleText } from './names.js'

/** What each choice is called, and how far it reaches. */
const choices = [
  { choice: 'once', label: 'Allow once', reach: 0 },
  { choice: 'session', label: 'This session', reach: 1 },
  { choice: 'always', label: 'Always', reach: 2 },
  { choice: 'deny', label: 'Deny', reach: 0 }
]
const reachOf = { once: 0, session: 1, always: 2 }
/** A screen reader is told of the time once, when this much is left. */
const lastCallS = 30

/**
 * The cards of what a session waits for. They are fetched whenever the list's stream tells that a session's attention
 * has changed, instead of over two streams of their own: a browser has six connections for all its windows on a
 * service, and with four to a window the second one could not answer any more.
 * @param {object} options
 * @param {HTMLElement} options.container
 * @param {(text: string) => void} options.onNote something to tell the person
 * @param {(kinds: string[]) => void} options.onChange what is waiting now
 * @param {() => void} options.onAnswered the card that was answered here is gone, and the focus with it
 */
export function createPrompts ({ container, onNote, onChange, onAnswered }) {
  const shown = { approval: null, clarify: null }
  let sessionId = null
  /** The session whose card shall have the focus as soon as it is there. */
  let focusFor = null
  let ticking

  const refresh = refresher(async () => { if (sessionId !== null) await fetchOnce(sessionId) })

  async function fetchOnce (id) {
    const [approval, clarify] = await Promise.all([
      get('/api/approval/pending', { session_id: id }),
      get('/api/clarify/pending', { session_id: id })
    ])
    if (id !== sessionId) return
    show('approval', approval.pending?.approval_id, approval, approvalCard)
    show('clarify', clarify.pending?.clarify_id, clarify, questionCard)
    tick()
    focusCard()
    onChange(Object.keys(shown).filter((kind) => shown[kind] !== null))
  }

  function focusCard () {
    const card = container.firstElementChild
    if (focusFor === null || focusFor !== sessionId || card === null) return
    focusFor = null
    // The card, not its first button: a key that was pressed a moment too long must not allow anything.
    card.focus()
  }

  /** Counts down on every card that will be over some time, once a second while there is one. */
  function tick () {
    const counted = Object.values(shown).filter((one) => one !== null && one.expiresAtS > 0)
    if (counted.length === 0) {
      clearInterval(ticking)
      ticking = undefined
      return
    }
    ticking ??= setInterval(tick, 1_000)
    for (const one of counted) {
      const leftS = secondsTo(one.expiresAtS)
      one.card.querySelector('.left').textContent = `${formatLeft(leftS)} left`
      if (leftS > lastCallS || one.isLastCall) continue
      one.isLastCall = true
      announce(`${leftS} seconds left to answer`)
    }
  }

  /** A card that is shown already stays as it is, with what was typed into it. */
  function show (kind, id, { pending, pending_count: count }, make) {
    if (shown[kind]?.id !== id) {
      shown[kind]?.card.remove()
      shown[kind] = pending === null ? null : { id, card: make(pending), expiresAtS: pending.expires_at, isLastCall: secondsTo(pending.expires_at) <= lastCallS }
      if (shown[kind] !== null) {
        container.append(shown[kind].card)
        announce(kind === 'approval' ? `Permission needed: ${pending.description}` : `Question: ${pending.question}`)
      }
    }
    const foot = shown[kind]?.card.querySelector('.foot')
    if (foot === undefined) return
    foot.lastElementChild.textContent = count > 1 ? `${count - 1} more waiting` : ''
    foot.hidden = shown[kind].expiresAtS === 0 && count <= 1
  }

  function approvalCard ({ approval_id: id, description, command, max_scope: scope, expires_at: expiresAtS, ...details }) {
    const buttons = choices.filter(({ reach }) => reach <= (reachOf[scope] ?? 0)).map(({ choice, label }) =>
      el('button', { type: 'button', class: choice === 'once' ? 'primary' : '', onclick: () => answer('/api/approval/respond', { choice, approval_id: id }, card) }, label))
    const card = el('section', { class: 'card approval', tabIndex: -1, 'aria-label': 'Permission needed' },
      el('p', { class: 'lead' }, description),
      command === '' ? null : el('pre', { tabIndex: 0, role: 'group', 'aria-label': 'Command' }, command),
      ...whatItDoes(details),
      el('div', { class: 'buttons' }, ...buttons),
      cardFoot('Without an answer it is denied.', expiresAtS))
    return card
  }

  function questionCard ({ clarify_id: id, question, choices_offered: offered, expires_at: expiresAtS }) {
    const send = (response) => answer('/api/clarify/respond', { response, clarify_id: id }, card)
    const box = el('input', { type: 'text', 'aria-label': 'Your own answer', placeholder: offered.length > 0 ? 'Or your own answer' : 'Your answer', autocomplete: 'off' })
    const card = el('section', { class: 'card question', tabIndex: -1, 'aria-label': 'Question' },
      el('p', { class: 'lead' }, question),
      offered.length > 0 ? el('div', { class: 'buttons' }, ...offered.map((choice) => el('button', { type: 'button', onclick: () => send(choice) }, choice))) : null,
      el('form', {
        class: 'reply',
        onsubmit: (event) => {
          event.preventDefault()
          if (box.value.trim() !== '') send(box.value.trim())
        }
      }, box, el('button', { type: 'submit', class: 'primary' }, 'Answer')),
      cardFoot('Without an answer it goes on with an assumption.', expiresAtS))
    return card
  }

  async function answer (path, body, card) {
    const controls = [...card.querySelectorAll('button, input')]
    for (const control of controls) control.disabled = true
    try {
      const { ok, stale_cleared: isStale } = await post(path, { session_id: sessionId, ...body })
      if (isStale === true) onNote('This was answered already.')
      else if (!ok) onNote('This request is over; another one is waiting.')
    } catch (error) {
      onNote(error.message)
      for (const control of controls) control.disabled = false
    }
    await refresh()
    if (!card.isConnected) onAnswered()
  }

  return {
    refresh,
    /** @param {string | null} id the session whose prompts are shown from now on */
    show (id) {
      if (id === sessionId) return
      sessionId = id
      for (const kind of Object.keys(shown)) {
        shown[kind]?.card.remove()
        shown[kind] = null
      }
      tick()
      onChange([])
      refresh()
    },
    /** Moves the focus to a session's first card, now or as soon as the session is shown. */
    focus (id) {
      focusFor = id
      focusCard()
    }
  }
}

/**
 * What a call would do, as far as the service could tell: the change of a file, the parts of a command, an address.
 * @returns {HTMLElement[]}
 */
function whatItDoes ({ diff, diff_truncated: isDiffCut, diff_note: note, content, content_truncated: isContentCut, command_parts: parts, command_parts_truncated: isPartsCut, folder, sandboxed, request }) {
  const shown = []
  const say = (text) => shown.push(el('p', { class: 'small' }, text))
  if (note !== undefined) say(`What changes cannot be shown: ${visibleText(note)}`)
  if (diff !== undefined) shown.push(diffView(diff))
  else if (content !== undefined) shown.push(el('pre', { tabIndex: 0, role: 'group', 'aria-label': 'Content' }, content === '' ? '(an empty file)' : content))
  if (diff === undefined ? isContentCut === true : isDiffCut) say('This is only the beginning of it.')
  if (folder !== undefined) say(`${sandboxed ? 'In the sandbox, in' : 'In'} ${visibleText(folder)}${parts.length > 1 ? ' it runs:' : ''}`)
  if (parts?.length > 1) shown.push(el('ol', { class: 'small' }, ...parts.map(({ program, args }) => el('li', {}, el('code', {}, visibleText([program, ...args].map(quoted).join(' ')))))))
  if (isPartsCut === true) say('And more that is not shown here.')
  if (request !== undefined) say(`${request.method} ${visibleText(`${request.scheme}://${request.host}${request.path}`)}`)
  return shown
}

const quoted = (word) => /^[\w@%+=:,./…-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/** Below a card's buttons: the time that is left, and how many wait behind it. */
function cardFoot (consequence, expiresAtS) {
  return el('p', { class: 'small foot' },
    expiresAtS > 0 ? el('span', { class: 'left', role: 'timer' }) : null,
    expiresAtS > 0 ? el('span', {}, consequence) : null,
    el('span', { class: 'others' }))
}

const secondsTo = (epochS) => Math.max(0, Math.round(epochS - Date.now() / 1000))

function formatLeft (seconds) {
  const two = (number) => String(number).padStart(2, '0')
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}
