import { personStore } from '../app.js'

// Content that is drawn automatically must not make a chat impossible to open, in a browser in which it can block the page. So a note is
// stored before drawing begins, and content whose note is still there is not drawn automatically.

const key = 'frames-at-work'
const mostNoted = 20
/** A younger note may be from another window that is drawing the content now. */
const beginsWithinMs = 20_000

/** Returns when drawing of each began, by its mark. */
function noted (): Map<string, number> {
  const entries = (personStore.getItem(key) ?? '').split(' ').map((entry) => entry.split('@'))
  return new Map(entries.flatMap(([mark = '', at]) => mark === '' ? [] : [[mark, Number(at)]]))
}

function note (marks: ReadonlyMap<string, number>): void {
  if (marks.size === 0) personStore.removeItem(key)
  else personStore.setItem(key, [...marks].slice(-mostNoted).map(([mark, at]) => `${mark}@${at}`).join(' '))
}

/** Returns whether drawing was begun but not finished the last time. */
export function wasBroken (mark: string): boolean {
  const at = noted().get(mark)
  return at !== undefined && Date.now() - at > beginsWithinMs
}

export const beginsWork = (mark: string): void => note(new Map([...noted(), [mark, Date.now()]]))
export const endsWork = (mark: string): void => note(new Map([...noted()].filter(([other]) => other !== mark)))

/** Returns a short mark for a text, without blanks. */
export function markOf (text: string): string {
  let hash = 5_381
  for (let at = 0; at < text.length; at++) hash = (hash * 33 ^ text.charCodeAt(at)) >>> 0
  return `${text.length}-${hash.toString(36)}`
}
