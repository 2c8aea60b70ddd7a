/* global document */
import { el } from './dom.js'

/**
 * A line that says how something went, where it was done, with at most one thing to do about it.
 * @returns {{ element: HTMLElement, tell: (text: string) => void, inform: (text: string, action?: { label: string, run: () => void }) => void }}
 *   `tell` for what went wrong, `inform` for the rest
 */
export function createLine () {
  const element = el('p', { class: 'line', role: 'status' })

  function say (look, text, action) {
    element.className = `line ${look}`
    element.replaceChildren(text)
    if (action !== undefined) element.append(' ', el('button', { type: 'button', class: 'quiet', onclick: action.run }, action.label))
  }
  return {
    element,
    tell: (text) => say('wrong', text),
    inform: (text, action) => say('', text, action)
  }
}

/**
 * Does one thing at a time in a part of the page: what can be pressed there waits meanwhile, and what goes wrong is
 * said on its line.
 * @param {object} options
 * @param {HTMLElement} options.root
 * @param {ReturnType<typeof createLine>} options.line
 * @param {() => void} [options.onIdle] draws again what depends on how things stand
 */
export function createDesk ({ root, line, onIdle = () => {} }) {
  let isBusy = false
  return {
    isBusy: () => isBusy,
    /**
     * @param {string} words what is being done
     * @param {() => Promise<void>} work
     * @returns {Promise<boolean>} whether it was done
     */
    async act (words, work) {
      if (isBusy) return false
      isBusy = true
      const focused = document.activeElement
      const controls = [...root.querySelectorAll('button, input, textarea, select')].filter((control) => !control.disabled)
      for (const control of controls) control.disabled = true
      root.setAttribute('aria-busy', 'true')
      line.inform(words)
      try {
        await work()
        if (line.element.textContent === words) line.inform('')
        return true
      } catch (error) {
        line.tell(error.message)
        return false
      } finally {
        isBusy = false
        root.removeAttribute('aria-busy')
        for (const control of controls) control.disabled = false
        onIdle()
        // What was pressed lost the focus when it was switched off.
        if (document.activeElement === document.body && root.contains(focused)) focused.focus()
      }
    }
  }
}
