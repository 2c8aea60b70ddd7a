/* global innerWidth, innerHeight */
import { byId, el } from './dom.js'

const marginPx = 8

/**
 * Makes a button that opens a list of things to do. All share one list: only one can be open.
 * @param {object} options
 * @param {string} options.label
 * @param {string} [options.text] what stands on it
 * @param {() => Array<{ label: string, run?: () => void, href?: string, isDangerous?: boolean }>} options.items
 * @returns {HTMLElement}
 */
export function menuButton ({ label, text = '⋯', items }) {
  const button = el('button', { type: 'button', class: 'quiet more', 'aria-label': label, 'aria-haspopup': 'menu', onclick: () => open(button, items()) }, text)
  return button
}

function open (anchor, items) {
  const menu = byId('menu-list')
  const close = () => menu.hidePopover()
  menu.replaceChildren(...items.map(({ label, run, href, isDangerous = false }) => {
    const properties = {
      role: 'menuitem',
      class: isDangerous ? 'dangerous' : '',
      onclick: () => {
        close()
        run?.()
      }
    }
    return href === undefined ? el('button', { type: 'button', ...properties }, label) : el('a', { href, download: '', ...properties }, label)
  }))
  menu.setAttribute('aria-label', anchor.getAttribute('aria-label'))
  menu.onkeydown = (event) => move(event, menu)
  menu.showPopover()
  place(menu, anchor.getBoundingClientRect())
  menu.firstElementChild.focus()
}

/** Below its button, or above where there is no room. */
function place (menu, { top, bottom, right }) {
  const { offsetWidth: width, offsetHeight: height } = menu
  const fitsBelow = bottom + height + marginPx <= innerHeight
  menu.style.left = `${Math.max(marginPx, Math.min(right - width, innerWidth - width - marginPx))}px`
  menu.style.top = `${fitsBelow ? bottom + 2 : Math.max(marginPx, top - height - 2)}px`
}

function move (event, menu) {
  const items = [...menu.children]
  const at = items.indexOf(menu.ownerDocument.activeElement)
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key]
  if (next === undefined) return
  event.preventDefault()
  items.at(next % items.length).focus()
}
