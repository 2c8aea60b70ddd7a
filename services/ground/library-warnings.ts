import { format } from 'node:util'
import { redact } from './redaction/index.js'
import { visible } from './text/visible.js'
import { wholeTo } from './text/whole-characters.js'

const longestLine = 500
/** How many lines are passed on in each window: a remote party may be able to trigger a library's warning as often as it likes. */
const mostLines = 20
const windowMs = 60_000

/**
 * Passes on what libraries print by `console.warn` as lines of our own: one for each warning, masked, cut and limited in number. Warnings
 * may quote other programs, which could write lines that look like the service's own. Returns a function that restores the console.
 */
export function takeLibraryWarnings (take: (line: string) => void): () => void {
  const { warn } = console
  let startedMs = performance.now()
  let lines = 0
  console.warn = (...parts: unknown[]) => {
    if (performance.now() - startedMs > windowMs) {
      startedMs = performance.now()
      lines = 0
    }
    if (++lines > mostLines + 1) return
    if (lines > mostLines) return take('Libraries have more to warn of, which is left out for a minute.')
    const line = visible(redact(format(...parts)).replace(/\s+/g, ' ').trim())
    take(line.length > longestLine ? `${wholeTo(line, longestLine)}…` : line)
  }
  return () => { console.warn = warn }
}
