/** Far more than a server needs to send, and little enough to read without a noticeable delay. */
const floodLimits = { messages: 5_000, bytes: 64 * 1_024 * 1_024, windowMs: 10_000 } as const
/** How long a message may be. */
export const longestMessageBytes = 10 * 1_024 * 1_024

export class Flooded extends Error {
  constructor () {
    super('It sent more than can be read')
    this.name = 'Flooded'
  }
}

/** Counts what a server sends. Each call throws Flooded when it has become too much in a window of time. */
export function createFloodGate (limits: { messages: number, bytes: number, windowMs: number } = floodLimits): (
  messages: number, bytes: number
) => void {
  let startedMs = performance.now()
  let [messages, bytes] = [0, 0]
  return (moreMessages, moreBytes) => {
    if (performance.now() - startedMs > limits.windowMs) {
      startedMs = performance.now();
      [messages, bytes] = [0, 0]
    }
    messages += moreMessages
    bytes += moreBytes
    if (messages > limits.messages || bytes > limits.bytes) throw new Flooded()
  }
}
