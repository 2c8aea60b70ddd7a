import { Invalid } from '../../ground/errors.js'

/** An edit that the agent makes to a document. */
export interface MemoryEdit { action: 'add' | 'replace' | 'remove', text?: string | undefined, old_text?: string | undefined }

/**
 * Returns the document after an edit: a new entry at its end; a passage, or without one the whole document, replaced; or a passage removed.
 * Throws Invalid with a message from which a model can correct itself.
 */
export function edited (before: string, { action, text = '', old_text: old = '' }: MemoryEdit): string {
  if (action !== 'remove' && text.trim() === '') throw new Invalid('"text" is missing: say what to remember.')
  if (action === 'add') {
    const entry = text.trim()
    if (before.includes(entry)) throw new Invalid('Your notes already contain this.')
    return `${before.trim() === '' ? '' : `${before.trimEnd()}\n`}${/^(?:[-*#>]|\d+\.)\s/.test(entry) ? '' : '- '}${entry}\n`
  }
  if (old === '') {
    if (action === 'remove') throw new Invalid('"old_text" is missing: say which passage to remove.')
    return `${text.trim()}\n`
  }
  const at = before.indexOf(old)
  if (at === -1) throw new Invalid('"old_text" was not found. Give it exactly as it is in your notes.')
  if (before.includes(old, at + 1)) throw new Invalid('"old_text" occurs more than once. Give more of it.')
  if (action === 'replace') return before.slice(0, at) + text + before.slice(at + old.length)
  return withoutPassage(before, at, at + old.length)
}

/** Removes a passage; if only a bullet is left of its line, the whole line. */
function withoutPassage (text: string, from: number, to: number): string {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const end = text.indexOf('\n', to) === -1 ? text.length : text.indexOf('\n', to)
  const left = text.slice(start, from) + text.slice(to, end)
  return /^(?:[-*]|\d+\.)?$/.test(left.trim()) ? text.slice(0, start) + text.slice(end + 1) : text.slice(0, from) + text.slice(to)
}
