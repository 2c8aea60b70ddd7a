import { wholeAt } from './whole-characters.js'

/** About how long a piece is; making one takes less than a millisecond. */
const pieceChars = 65_536
/** What a value takes at least, with what stands around it. */
const leastChars = 4
/** Below this level, values are not divided. */
const deepest = 20

/** Whether the JSON text of a value has several pieces. This is estimated from a part of the value, which takes a moment at most. */
export const isLongJson = (value: unknown): boolean => roomBehind(value, pieceChars, 0) < 0

/** Returns how much of `room` is left behind the JSON text of a value, about; negative if it does not fit. */
function roomBehind (value: unknown, room: number, level: number): number {
  if (typeof value === 'string') return room - value.length - leastChars
  let rest = room - leastChars
  if (typeof value !== 'object' || value === null || level > deepest) return rest
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && rest >= 0; index++) rest = roomBehind(value[index], rest, level + 1)
    return rest
  }
  for (const [key, item] of Object.entries(value)) {
    if (rest < 0) break
    rest = roomBehind(item, rest - key.length, level + 1)
  }
  return rest
}

/** Yields the JSON text of a plain value in pieces, so that other work can run in between. Joined, they equal `JSON.stringify(value)`. */
export function * jsonPieces (value: unknown, level = 0): Generator<string> {
  if (typeof value === 'string') yield * textPieces(value)
  else if (typeof value !== 'object' || value === null || level > deepest || !isLongJson(value)) yield JSON.stringify(value)
  else {
    const [open, close] = Array.isArray(value) ? '[]' : '{}'
    let piece = open ?? ''
    let comma = ''
    for (const { before, item } of entriesOf(value)) {
      piece += comma + before
      comma = ','
      if (isLongJson(item)) {
        yield piece
        yield * jsonPieces(item, level + 1)
        piece = ''
      } else piece += JSON.stringify(item)
      if (piece.length < pieceChars) continue
      yield piece
      piece = ''
    }
    yield piece + close
  }
}

/** Yields the items of a list or object that occur in JSON, each with what stands before it. */
function * entriesOf (value: object): Generator<{ before: string, item: unknown }> {
  if (Array.isArray(value)) for (const item of value) yield { before: '', item: isOfJson(item) ? item : null }
  else {
    for (const [key, item] of Object.entries(value)) if (isOfJson(item)) yield { before: `${JSON.stringify(key)}:`, item }
  }
}

const isOfJson = (value: unknown): boolean => value !== undefined && typeof value !== 'function' && typeof value !== 'symbol'

function * textPieces (text: string): Generator<string> {
  if (text.length <= pieceChars) {
    yield JSON.stringify(text)
    return
  }
  yield '"'
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = wholeAt(text, Math.min(text.length, from + pieceChars))
    yield JSON.stringify(text.slice(from, to)).slice(1, -1)
  }
  yield '"'
}
