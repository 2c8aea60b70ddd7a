import { get, post } from './api.js'
import { announce, el } from './dom.js'

/** What each choice is called, and how far it reaches. */
const choices = [
  { choice: 'once', label: 'Allow once', reach: 0 },
  { choice: 'session', label: 'This session', reach: 1 },
  { choice: 'always', label: 'Always', reach: 2 },
  { choice: 'deny', label: 'Deny', reach: 0 }
]
const reachOf = { once: 0, session: 1, always: 2 }

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
  let fetching = false
  let again = false

  async function refresh () {
    if (sessionId === null) return
    again = true
    if (fetching) return
    fetching = true
    while (again) {
      again = false
      await fetchOnce(sessionId).catch(() => {})
    }
    fetching = false
  }

  async function fetchOnce (id) {
    const [approval, clarify] = await Promise.all([
      get('/api/approval/pending', { session_id: id }),
      get('/api/clarify/pending', { session_id: id })
    ])
    if (id !== sessionId) return
    show('approval', approval.pending?.approval_id, approval, approvalCard)
    show('clarify', clarify.pending?.clarify_id, clarify, questionCard)
    onChange(Object.keys(shown).filter((kind) => shown[kind] !== null))
  }

  /** A card that is shown already stays as it is, with what was typed into it. */
  function show (kind, id, { pending, pending_count: count }, make) {
    if (shown[kind]?.id !== id) {
      shown[kind]?.card.remove()
      shown[kind] = pending === null ? null : { id, card: make(pending) }
      if (shown[kind] !== null) {
        container.append(shown[kind].card)
        announce(kind === 'approval' ? `Permission needed: ${pending.description}` : `Question: ${pending.question}`)
      }
    }
    const others = shown[kind]?.card.querySelector('.others')
    if (others) others.textContent = count > 1 ? `${count - 1} more waiting` : ''
  }

  function approvalCard ({ approval_id: id, description, command, max_scope: scope }) {
    const buttons = choices.filter(({ reach }) => reach <= (reachOf[scope] ?? 0)).map(({ choice, label }) =>
      el('button', { type: 'button', class: choice === 'once' ? 'primary' : '', onclick: () => answer('/api/approval/respond', { choice, approval_id: id }, card) }, label))
    const card = el('section', { class: 'card approval', 'aria-label': 'Permission needed' },
      el('p', { class: 'lead' }, description),
      command === '' ? null : el('pre', { tabIndex: 0 }, command),
      el('div', { class: 'buttons' }, ...buttons, el('span', { class: 'others' })))
    return card
  }

  function questionCard ({ clarify_id: id, question, choices_offered: offered, expires_at: expiresAt }) {
    const send = (response) => answer('/api/clarify/respond', { response, clarify_id: id }, card)
    const box = el('input', { type: 'text', 'aria-label': 'Your own answer', placeholder: offered.length > 0 ? 'Or your own answer' : 'Your answer', autocomplete: 'off' })
    const card = el('section', { class: 'card question', 'aria-label': 'Question' },
      el('p', { class: 'lead' }, question),
      offered.length > 0 ? el('div', { class: 'buttons' }, ...offered.map((choice) => el('button', { type: 'button', onclick: () => send(choice) }, choice))) : null,
      el('form', {
        class: 'reply',
        onsubmit: (event) => {
          event.preventDefault()
          if (box.value.trim() !== '') send(box.value.trim())
        }
      }, box, el('button', { type: 'submit', class: 'primary' }, 'Answer')),
      el('p', { class: 'small' }, expiresAt > 0 ? `Without an answer it goes on at ${timeOf(expiresAt)}. ` : '', el('span', { class: 'others' })))
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
      onChange([])
      refresh()
    }
  }
}

function timeOf (epochS) {
  return new Date(epochS * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
}
