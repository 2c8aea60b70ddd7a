import { personStore } from '../app.js'

// What is drawn without having been asked for must not keep a chat from ever being opened again, in a browser in which it can hold up the
// page: it is noted before it begins, and not begun by itself where the note is still there.

const key = 'frames-at-work'
const mostNoted = 20
/** Another window may be at it just now. */
const beginsWithinMs = 20_000

/** When each began, by its mark. */
function noted (): Map<string, number> {
  const entries = (personStore.getItem(key) ?? '').split(' ').map((entry) => entry.split('@'))
  return new Map(entries.flatMap(([mark = '', at]) => mark === '' ? [] : [[mark, Number(at)]]))
}

function note (marks: ReadonlyMap<string, number>): void {
  if (marks.size === 0) personStore.removeItem(key)
  else personStore.setItem(key, [...marks].slice(-mostNoted).map(([mark, at]) => `${mark}@${at}`).join(' '))
}

/** Whether it did not get through its beginning the last time. */
export function wasBroken (mark: string): boolean {
  const at = noted().get(mark)
  return at !== undefined && Date.now() - at > beginsWithinMs
}

export const beginsWork = (mark: string): void => note(new Map([...noted(), [mark, Date.now()]]))
export const endsWork = (mark: string): void => note(new Map([...noted()].filter(([other]) => other !== mark)))

/** A short mark of a text, with no blank in it. */
export function markOf (text: string): string {
  let hash = 5_381
  for (let at = 0; at < text.length; at++) hash = (hash * 33 ^ text.charCodeAt(at)) >>> 0
  return `${text.length}-${hash.toString(36)}`
}
