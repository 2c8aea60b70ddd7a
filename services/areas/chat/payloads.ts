import { fieldsOf } from '../../ground/fields.js'

/** Frames are read in pieces of about this size. A frame that is larger than its limit is skipped. */
export const pieceBytes = 1024 * 1024
export const frameBytes = 8 * 1024 * 1024
/** A step row larger than this contains no calls that could be answered. */
export const rowBytes = 32 * 1024 * 1024

/** Parses an object from JSON text; returns an empty one if the text contains none. */
export function payloadOf (json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    return fieldsOf(value)
  } catch {
    return {}
  }
}

export const numberIn = (value: unknown): number | null => typeof value === 'number' ? value : null
export const textIn = (value: unknown): string => typeof value === 'string' ? value : ''
