/** Random numbers that a seed determines, so that a run can be repeated as far as timing allows. */
export interface Random {
  /** Returns a number from 0 up to, but not including, 1. */
  next (): number
  /** Returns a whole number from `least` to `most`, both included. */
  whole (least: number, most: number): number
  chance (probability: number): boolean
  pick<T> (from: readonly T[]): T
  /** Returns another sequence that depends only on this seed and the name, for concurrent work. */
  branch (name: string): Random
}

/** mulberry32: small, and good enough to choose moments and kinds of work. */
export function createRandom (seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const whole = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    whole,
    chance: (probability) => next() < probability,
    pick: (from) => from[whole(0, from.length - 1)]!,
    branch (name) {
      let hash = seed >>> 0
      for (const character of name) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193) >>> 0
      return createRandom(hash)
    }
  }
}
