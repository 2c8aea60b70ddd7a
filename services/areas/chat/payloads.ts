import { fieldsOf } from '../../ground/fields.js'

/** Frames are read in pieces of about this size; one that is larger than the limit of a frame is passed over. */
export const pieceBytes = 1024 * 1024
export const frameBytes = 8 * 1024 * 1024
/** A row of a step that is larger holds no calls that could be answered. */
export const rowBytes = 32 * 1024 * 1024

/** An object out of JSON text; an empty one where there is none. */
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
