import { connect } from 'node:net' // oxlint-disable-line js/no-restricted-syntax -- sockets of this machine, by their paths

const mostAsked = 64
const limitMs = 500

/**
 * Of these sockets those behind which somebody answers: programs outside the sandbox, which would do for a command what it may not do
 * itself. What a program that is gone has left is not among them, since others want to take its place.
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
