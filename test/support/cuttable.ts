import { connect, createServer, type Socket } from 'node:net'
import { type TestLike } from './app.js'
import { listening } from './listening.js'

/** Opens a connection to a service that can be cut, and that can refuse every client for a while. */
export async function cuttable (t: TestLike, url: string): Promise<{ url: string, cut: () => void, refuse: (isRefused: boolean) => void }> {
  const sockets = new Set<Socket>()
  let isRefused = false
  const proxy = createServer((near) => {
    if (isRefused) return near.destroy()
    const far = connect(Number(new URL(url).port), '127.0.0.1')
    for (const [from, to] of [[near, far], [far, near]] as const) {
      sockets.add(from.on('error', () => to.destroy()).on('close', () => to.destroy()))
      from.pipe(to)
    }
  })
  const port = await listening(t, proxy)
  const cut = (): void => { for (const socket of sockets) socket.destroy() }
  return { url: `http://127.0.0.1:${port}`, cut, refuse (is) { isRefused = is } }
}
