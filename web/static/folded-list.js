import { el } from './dom.js'
import { createLine } from './line.js'

/**
 * A list that is fetched when it is unfolded.
 * @param {object} options
 * @param {string} options.title
 * @param {() => Promise<HTMLElement[]>} options.fetch
 * @param {string} options.none what is said of an empty one
 */
export function foldedList ({ title, fetch, none }) {
  const line = createLine()
  const list = el('ul', {})
  const empty = el('p', { class: 'small', hidden: true }, none)
  const element = el('details', { ontoggle: () => { if (element.open) refresh() } }, el('summary', {}, title), line.element, empty, list)
  let visit = 0

  async function refresh () {
    if (!element.open) return
    const mine = visit
    try {
      const items = await fetch()
      if (mine !== visit) return
      line.inform('')
      list.replaceChildren(...items)
      empty.hidden = items.length > 0
    } catch (error) {
      if (mine === visit) line.tell(error.message)
    }
  }

  return {
    element,
    line,
    list,
    refresh,
    /** It is about something else now. */
    reset () {
      visit++
      element.open = false
      line.inform('')
      list.replaceChildren()
      empty.hidden = true
    }
  }
}
