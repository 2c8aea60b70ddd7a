import { diffArrays } from 'diff'
import { mask } from './find.js'
import { redactPieces } from './pieces.js'
import { redact } from './redaction.js'

/** Returns a document with its credentials masked line by line. The number of lines stays the same. */
export function maskLines (text: string): string {
  return redactPieces(text.split('\n'), '\n').join('\n')
}

/**
 * Returns a text that a person edited in a document with masked credentials, with the credentials restored in the lines that were not
 * changed. Returns null if that is ambiguous: a masked line was changed, copied or moved, or one of several that look the same is gone.
 */
export function unmask (present: string, written: string): string | null {
  const raw = present.split('\n')
  const shown = redactPieces(raw, '\n')
  const hiding = new Set(shown.filter((line, index) => line !== raw[index]))
  if (hiding.size === 0) return written
  // Some clients send texts with the line ends of HTML forms.
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

/** Does the same for a text that is shown as a whole: unchanged, it means the stored text. Returns null if that is ambiguous. */
export function asMeant (stored: string, written: string): string | null {
  return written === redact(stored) ? stored : unmask(stored, written)
}
