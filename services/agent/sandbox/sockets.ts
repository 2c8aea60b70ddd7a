import { connect } from 'node:net' // oxlint-disable-line js/no-restricted-syntax -- sockets of this machine, by their paths

const mostAsked = 64
const limitMs = 500

/**
 * Returns the sockets at which a program outside the sandbox answers, because it could do for a command what the command must not do
 * itself. Sockets that an ended program has left are not included, because another program may replace them.
 */
export async function answeredSockets (paths: readonly string[]): Promise<string[]> {
  const answered = await Promise.all(paths.slice(0, mostAsked).map(isAnswered))
  return paths.filter((_, index) => answered[index] ?? true)
}

async function isAnswered (path: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(path)
    const over = (answered: boolean): void => {
      resolve(answered)
      socket.destroy()
    }
    socket.setTimeout(limitMs, () => over(true))
    socket.on('connect', () => over(true)).on('error', ({ code }: NodeJS.ErrnoException) =>
      over(code !== 'ECONNREFUSED' && code !== 'ENOENT'))
  })
}
