import { get, refresher } from './api.js'
import { announce, byId, el } from './dom.js'

/**
 * What waits for the person over all sessions: a counter in the header that opens a list.
 * @param {object} options
 * @param {() => string | null} options.openSession the session that is open, whose cards speak for themselves
 * @param {(sessionId: string) => void} options.onPick a prompt of this session was chosen; its link leads there
 * @param {() => void} options.onEmptied the list is gone, and the focus that was in it
 */
export function createWaiting ({ openSession, onPick, onEmptied }) {
  const button = byId('waiting')
  const panel = byId('waiting-list')
  const list = panel.querySelector('ul')
  let known = new Map()

  const refresh = refresher(async () => {
    const { prompts } = await get('/api/prompts')
    const before = known
    known = new Map(prompts.map((prompt) => [prompt.approval_id ?? prompt.clarify_id, prompt]))
    draw()
    const elsewhere = [...known].find(([id, { session_id: sessionId }]) => !before.has(id) && sessionId !== openSession())
    if (elsewhere !== undefined) announce(`${kindOf(elsewhere[1])} in ${elsewhere[1].session_title}`)
  })

  function draw () {
    const hadFocus = button.matches(':focus') || panel.matches(':focus-within')
    const shown = new Map([...list.children].map((item) => [item.dataset.prompt, item]))
    for (const [id, item] of shown) if (!known.has(id)) item.remove()
    for (const [id, prompt] of known) if (!shown.has(id)) list.append(itemOf(id, prompt))
    const words = `${known.size} waiting for you`
    if (button.textContent !== words) button.replaceChildren(String(known.size), el('span', {}, ' waiting for you'))
    // On a narrow page only the number is shown.
    button.setAttribute('aria-label', words)
    button.hidden = known.size === 0
    if (known.size === 0) panel.hidePopover()
    if (hadFocus && known.size === 0) onEmptied()
    else if (hadFocus && !button.matches(':focus') && !panel.matches(':focus-within')) button.focus()
  }

  function itemOf (id, prompt) {
    const { session_id: sessionId, session_title: title } = prompt
    const item = el('li', {}, el('a', {
      href: `#${sessionId}`,
      onclick: (event) => {
        // In a new window it is that window's business.
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        panel.hidePopover()
        onPick(sessionId)
      }
    },
    el('span', { class: 'title' }, title),
    el('span', { class: 'mark needed' }, kindOf(prompt)),
    el('span', { class: 'what' }, prompt.question ?? prompt.description)))
    item.dataset.prompt = id
    return item
  }

  return { refresh }
}

const kindOf = ({ type }) => type === 'approval' ? 'Permission needed' : 'Question'
