import { Unavailable } from '../errors.js'

interface Waiting { enter: () => void }

/**
 * Lets `width` be inside at once; the others wait in the order they came. `enter` resolves with what has to be called on
 * leaving, and rejects with Unavailable (`busy`) when it takes longer than `waitMs`. `others` is what
 * it is busy with then, for people.
 */
export function createLane (width: number, waitMs: number, others = 'other files') {
  const waiting: Waiting[] = []
  let inside = 0

  function leave (): void {
    const next = waiting.shift()
    if (next === undefined) inside--
    else next.enter()
  }

  return async function enter (): Promise<() => void> {
    if (inside < width) {
      inside++
      return leave
    }
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(mine), 1)
        reject(new Unavailable(`The service is busy with ${others}; try again in a moment`, 'busy'))
      }, waitMs)
      const mine: Waiting = {
        enter () {
          clearTimeout(timer)
          resolve(leave)
        }
      }
      waiting.push(mine)
    })
  }
}
