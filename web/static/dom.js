/* global document */

/**
 * Makes an element. Text goes in as text nodes only, so nothing that comes from a model can become markup.
 * @param {string} tag
 * @param {Record<string, unknown>} [properties] `class`, `on…` listeners, DOM properties, or attributes with a dash
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElement}
 */
export function el (tag, properties = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue
    if (name === 'class') element.className = value
    else if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (name.includes('-') || name === 'role') element.setAttribute(name, value)
    else element[name] = value
  }
  element.append(...children.filter((child) => child !== null && child !== undefined))
  return element
}

/**
 * @param {string} id
 * @returns {HTMLElement} an element the page is known to have
 */
export function byId (id) {
  return document.getElementById(id)
}

/**
 * Tells a screen reader something without moving anything on the page.
 * @param {string} text
 */
export function announce (text) {
  byId('announcer').textContent = text
}
