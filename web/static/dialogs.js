import { byId } from './dom.js'

/**
 * Asks in a dialog of the page's own.
 * @param {{ title: string, text?: string, value?: string, label?: string, maxLength?: number, confirm: string, isDangerous?: boolean }} question
 *   with a `value`, a text is asked for
 * @returns {Promise<string | null>} the text ('' where none is asked for), null when the person backs out
 */
export function ask ({ title, text = '', value, label = 'Title', maxLength = 80, confirm, isDangerous = false }) {
  const dialog = byId('dialog')
  const input = dialog.querySelector('input')
  const button = dialog.querySelector('button[value="ok"]')
  dialog.querySelector('h2').textContent = title
  dialog.querySelector('p').textContent = text
  input.parentElement.hidden = value === undefined
  input.previousElementSibling.textContent = label
  input.maxLength = maxLength
  input.value = value ?? ''
  button.textContent = confirm
  button.className = isDangerous ? 'danger' : 'primary'
  dialog.returnValue = ''
  dialog.showModal()
  if (value !== undefined) input.select()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'ok' ? input.value : null), { once: true })
  })
}
