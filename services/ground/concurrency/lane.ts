import { Unavailable } from '../errors.js'

interface Waiting { enter: () => void }

/**
 * Lets `width` callers in at once; the others wait in order of arrival. `enter` resolves with a function that must be called on leaving,
 * and rejects with Unavailable (`busy`) after `waitMs`. `others` names in the error what the service is busy with.
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
