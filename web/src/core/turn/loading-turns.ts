import type * as turnCode from './turn-code.js'

type TurnCode = typeof turnCode

let code: TurnCode | null = null

/** Loads the code that makes exchanges of stored messages and frames; an empty page has none. Rejects if it cannot be loaded. */
export async function loadTurns (): Promise<TurnCode> {
  code ??= await import('./turn-code.js')
  return code
}

/** Returns that code, which was loaded before the first message or frame is shown. */
export function turns (): TurnCode {
  if (code === null) throw new Error('the code of turns is not loaded')
  return code
}
