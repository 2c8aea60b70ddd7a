import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { type TestLike } from './app.js'

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
  await new Promise<void>((resolve) => { proxy.listen(0, '127.0.0.1', resolve) })
  const cut = (): void => { for (const socket of sockets) socket.destroy() }
  t.teardown(() => {
    cut()
    proxy.close()
  })
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, cut, refuse (is) { isRefused = is } }
}
