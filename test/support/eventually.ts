import { setTimeout as delay } from 'node:timers/promises'

/** Polls until something happens; throws with its name if it does not. Polls less often the longer it takes. */
export async function eventually<T> (what: string, look: () => T | Promise<T>): Promise<NonNullable<Exclude<T, false>>> {
  for (let tries = 0; tries < 1_000; tries++) {
    const found = await look()
    if (found !== undefined && found !== null && found !== false) return found as NonNullable<Exclude<T, false>>
    await delay(Math.min(10 + tries * 2, 40))
  }
  throw new Error(`this never came: ${what}`)
}

/** Polls until something is so, however long that takes. */
export async function until (isSo: () => unknown): Promise<void> {
  while (!await isSo()) await delay(5)
}

/** The kinds of cards in the interface's addresses. */
export type CardKind = 'approval' | 'clarify'
