import { diffArrays } from 'diff'
import { mask } from './find.js'
import { redactPieces } from './pieces.js'
import { redact } from './redaction.js'

/** A document with its credentials masked, line by line: it has as many lines as the document itself. */
export function maskLines (text: string): string {
  return redactPieces(text.split('\n'), '\n').join('\n')
}

/**
 * The text that somebody has made of a document whose credentials were masked for them, with the credentials back in the lines that were
 * left alone. Null where that cannot be told: a masked line was changed, copied or moved, or one of several that look the same has gone.
 */
export function unmask (present: string, written: string): string | null {
  const raw = present.split('\n')
  const shown = redactPieces(raw, '\n')
  const hiding = new Set(shown.filter((line, index) => line !== raw[index]))
  if (hiding.size === 0) return written
  // Some clients send texts with the line ends of forms.
  const lines = (present.includes('\r\n') ? written : written.replaceAll('\r\n', '\n')).split('\n')
  for (const line of hiding) {
    const behind = raw.filter((_, index) => shown[index] === line)
    const isSure = new Set(behind).size === 1 || lines.filter((other) => other === line).length === behind.length
    if (!isSure && lines.includes(line)) return null
  }
  const restored: string[] = []
  let at = 0
  for (const { added, removed, value } of diffArrays(shown, lines)) {
    if (added) {
      if (value.some((line) => line.includes(mask) && !raw.includes(line))) return null
      restored.push(...value)
    } else {
      if (!removed) restored.push(...raw.slice(at, at + value.length))
      at += value.length
    }
  }
  return restored.join('\n')
}

/** The same for a text that is shown as a whole: as it was shown, it is what is stored. Null where it cannot be told. */
export function asMeant (stored: string, written: string): string | null {
  return written === redact(stored) ? stored : unmask(stored, written)
}
