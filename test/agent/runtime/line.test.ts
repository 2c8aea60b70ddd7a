import { createConnection, Socket } from 'node:net'
import t, { type Test } from '#test'
import { Line } from '../../../services/agent/host/line.js'
import { readCard, standbyFiles } from '../../../services/agent/standby.js'
import { eventually } from '../../support/chat.js'
import { temporaryFolder } from '../../support/folder.js'

/** Creates a host that waits for the next service, and records what it receives. */
async function waiting (t: Test) {
  const got: unknown[] = []
  const pipe = new Socket()
  const line = new Line(pipe, { message: (message) => { got.push(message) }, met: () => { got.push('met') }, left () {} })
  const standby = { folder: temporaryFolder(t, 'line'), profile: 'default', fit: 'this build', waitMs: 60_000 }
  await line.listen(standby, { profile: 'default', fit: 'this build', mark: 'mark', pid: 1, v: 1 })
  t.teardown(() => {
    line.close()
    pipe.destroy()
  })
  const card = await readCard(standby)
  return {
    got,
    hello: JSON.stringify({ type: 'hello', secret: card?.secret }),
    caller: (): Socket => {
      const socket = createConnection(standbyFiles(standby).socket).on('error', () => {}).resume()
      t.teardown(() => socket.destroy())
      return socket
    }
  }
}

/** Resolves when the connection is cut, which may show as an error, or only as its end. */
const isGone = async (socket: Socket): Promise<void> => await new Promise((resolve) => socket.once('close', () => resolve()))

t.test('whoever does not say who they are is cut off after a few bytes', async (t) => {
  const { got, hello, caller } = await waiting(t)
  const endless = caller()
  const closed = isGone(endless)
  const written = (): void => { if (!endless.destroyed) endless.write('x'.repeat(16_384), () => setImmediate(written)) }
  written()
  await closed
  t.ok(endless.bytesWritten < 4_000_000, 'what the system holds of it at most')

  const padded = caller()
  padded.write(`{"padding":"${'x'.repeat(200_000)}",${hello.slice(1)}\n`)
  await isGone(padded)
  t.same(got, [], 'although it knew the secret')
})

t.test('messages of the next service may be long, from the first one on', async (t) => {
  const { got, hello, caller } = await waiting(t)
  const service = caller()
  service.write(`${hello}\n{"large":"${'x'.repeat(300_000)}"}\n`)
  await eventually('both', () => got.length === 2)
  t.same(got, ['met', { large: 'x'.repeat(300_000) }])
})
