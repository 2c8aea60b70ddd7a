import { el } from './dom.js'
import { visibleText } from './names.js'

/** More is drawn when it is asked for: each line is an element. */
const linesAtOnce = 2_000

/**
 * A unified diff, its lines coloured by what happened to them.
 * @param {string} diff
 * @returns {HTMLElement}
 */
export function diffView (diff) {
  const lines = visibleText(diff).replace(/\n$/, '').split('\n')
  const body = el('pre', { class: 'diff', tabIndex: 0, role: 'group', 'aria-label': 'Changes line by line' })
  const more = el('button', { type: 'button', class: 'quiet', onclick: draw })
  let drawn = 0
  let isInHunk = false

  function draw () {
    const next = lines.slice(drawn, drawn + linesAtOnce)
    body.append(...next.map((line) => el('span', { class: lookOf(line) }, `${line}\n`)))
    drawn += next.length
    more.hidden = drawn >= lines.length
    more.textContent = `Show the other ${lines.length - drawn} lines`
  }

  /** Before the first hunk of a file, lines that begin with a sign name the file. */
  function lookOf (line) {
    if (line.startsWith('diff ')) isInHunk = false
    if (line.startsWith('@@')) {
      isInHunk = true
      return 'hunk'
    }
    if (!isInHunk) return 'about'
    return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : ''
  }

  draw()
  return el('div', { class: 'diff-box' }, body, more)
}

/**
 * The diff of one file, or why there is none.
 * @param {{ diff: string, binary: boolean, too_large: boolean }} diff
 * @returns {HTMLElement}
 */
export function fileDiff ({ diff, binary, too_large: isTooLarge }) {
  if (binary) return el('p', { class: 'small' }, 'Not a text: there are no lines to compare.')
  if (isTooLarge) return el('p', { class: 'small' }, 'The changes are too large to be shown here.')
  return diff === '' ? el('p', { class: 'small' }, 'No line has changed.') : diffView(diff)
}
