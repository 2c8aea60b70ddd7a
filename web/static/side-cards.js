import { byId, el } from './dom.js'

/**
 * A card beside the conversation, over the box: what it was asked, what came of it, and a button that puts it away.
 * @param {object} options
 * @param {string} options.sessionId the session beside which it stands
 * @param {string} options.label what kind of card it is
 * @param {string} options.text what was asked
 * @param {() => void} options.onClose
 * @returns {{ element: HTMLElement, body: HTMLElement, say: (words: string) => void, setButton: (label: string) => void, remove: () => void }}
 */
export function sideCard ({ sessionId, label, text, onClose }) {
  const state = el('span', { class: 'state' })
  const button = el('button', { type: 'button', class: 'quiet', onclick: onClose }, 'Close')
  const body = el('div', { class: 'body', tabIndex: 0, role: 'group', 'aria-label': 'Answer' })
  const element = el('section', { class: 'side-card', 'aria-label': label },
    el('header', {}, el('strong', {}, label), state, button),
    el('p', { class: 'asked', title: text }, text),
    body)
  element.dataset.session = sessionId
  const container = byId('side-cards')
  element.hidden = container.dataset.session !== sessionId
  container.append(element)
  return {
    element,
    body,
    say (words) { state.textContent = words },
    setButton (words) { button.textContent = words },
    remove () { element.remove() }
  }
}

/**
 * Shows the cards of one session; those of the others stay, out of sight.
 * @param {string | null} sessionId
 */
export function showSideCards (sessionId) {
  const container = byId('side-cards')
  container.dataset.session = sessionId ?? ''
  for (const card of container.children) card.hidden = card.dataset.session !== sessionId
}
