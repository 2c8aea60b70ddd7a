import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from '#test'
import { createAgentRuntime, forkTransport } from '../../../services/agent/index.js'
import { JsonLines } from '../../../services/agent/json-lines.js'
import { eventually } from '../../support/chat.js'
import { specOf } from '../../support/conformance/harness.js'
import { listening } from '../../support/listening.js'

/** Creates both ends of a socket; the test drives the second one. */
async function ends (t: { teardown (end: () => void): unknown }) {
  const server = createServer()
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve))
  const far = createConnection(await listening(t, server), '127.0.0.1')
  const near = await accepted
  t.teardown(() => far.destroy())
  const got: unknown[] = []
  const closed: string[] = []
  const lines = new JsonLines(near, { message: (message) => { got.push(message) }, closed: (reason) => { closed.push(reason) } }, 1_000_000)
  return { far, lines, got, closed }
}

t.test('messages arrive whole, however they are cut', async (t) => {
  const { far, got } = await ends(t)
  const messages = [{ a: 'ä€😀\n' }, [], 'x', { large: 'y'.repeat(200_000) }]
  const bytes = Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
  for (let from = 0; from < 40; from++) far.write(bytes.subarray(from, from + 1))
  far.write(bytes.subarray(40))
  await eventually('all of them', () => got.length === messages.length)
  t.same(got, messages)
})

t.test('garbage is told and harms nobody', async (t) => {
  const { far, got, closed } = await ends(t)
  far.write('garbage\n{"a":\n\n')
  far.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]))
  far.write(`${'['.repeat(500_000)}\n{"ok":true}\n{"never":`)
  await eventually('the last', () => got.length === 6)
  t.same(got, [undefined, undefined, undefined, undefined, undefined, { ok: true }])
  far.destroy()
  await eventually('the end', () => closed.length > 0)
  t.equal(closed.length, 1)
})

t.test('a message without end ends the connection', async (t) => {
  const { far, got, closed } = await ends(t)
  far.on('error', () => {})
  far.write('"')
  const writing = setInterval(() => far.write('x'.repeat(300_000)), 1)
  await eventually('the end', () => closed.length > 0)
  clearInterval(writing)
  t.same(closed, ['a message without end'])
  t.same(got, [])
})

t.test('who closes is not told of it, and sends nothing more', async (t) => {
  const { far, lines, closed } = await ends(t)
  const over = new Promise((resolve) => far.once('close', resolve))
  far.resume()
  lines.close()
  lines.send({ late: true })
  await over
  t.same(closed, [])
})

t.test('a long message is sent in pieces; what follows it arrives behind it, and the last message ends the channel', async (t) => {
  const { far, lines } = await ends(t)
  let received = ''
  let isOver = false
  far.setEncoding('utf8').on('data', (text: string) => { received += text }).on('end', () => { isOver = true })
  const long = { type: 'start', history: Array.from({ length: 20_000 }, (_, index) => ({ role: 'user', content: `Message ${index} 😀` })) }
  const messages = [{ a: 1 }, long, { b: 2 }, { text: '"😀'.repeat(200_000) }, { c: 3 }, { type: 'end' }]
  let passes = 0
  const counting = setInterval(() => { passes++ })
  for (const message of messages.slice(0, -1)) lines.send(message)
  lines.finish(messages.at(-1))
  await eventually('the end', () => isOver)
  clearInterval(counting)
  t.equal(received, messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
  t.ok(passes > 1, `other work ran in between, ${passes} times`)
})

t.test('a message that was cut off by the end of the channel is not made any further, and nothing piles up behind it', async (t) => {
  const { far, lines } = await ends(t)
  far.resume()
  let made = 0
  const item = { toJSON: () => { made++; return 'x' }, text: 'x'.repeat(100) }
  lines.send({ items: Array.from({ length: 200_000 }, () => item) })
  lines.close()
  await lines.sent()
  const madeAtEnd = made
  t.ok(made < 100_000, `made of ${made} items`)
  lines.send({ items: Array.from({ length: 200_000 }, () => item) })
  await lines.sent()
  t.equal(made, madeAtEnd)
})

t.test('a message that cannot be made ends the channel', async (t) => {
  const { lines, closed } = await ends(t)
  lines.send({ long: 'x'.repeat(100_000), bad: { toJSON: () => { throw new Error('not to be made') } } })
  lines.send({ late: true })
  await lines.sent()
  await eventually('the end', () => closed.length > 0)
  t.same(closed, ['not to be made'])
})

t.test('an agent process that writes garbage on its channel does not take the service with it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'garbage-'))
  mkdirSync(join(folder, 'state'))
  const entry = join(folder, 'entry.mjs')
  writeFileSync(entry, "import { writeSync } from 'node:fs'\nfor (let i = 0; i < 1000; i++) writeSync(3, 'garbage \\u0000 {\\n')\nwriteSync(3, '{\"type\":\"ready\",\"v\":2,\"pid\":1}\\n')\nsetTimeout(() => process.exit(7), 300)\n")
  const logs: string[] = []
  const runtime = createAgentRuntime({
    transport: forkTransport({ profileHome: () => folder, serviceRoots: [], stateDir: join(folder, 'state'), env: { PATH: process.env.PATH ?? '' }, entry }),
    log: (message) => { logs.push(message) }
  })
  t.teardown(async () => {
    await runtime.stop()
    rmSync(folder, { recursive: true })
  })
  const lost = new Promise((resolve) => runtime.start(specOf('garbage', folder), { events: () => {}, lost: resolve }))
  await eventually('the host', () => runtime.health('default').running)
  t.match(await lost, { reason: /exit code 7|SIGKILL/, message: /stopped unexpectedly/ })
  t.same(logs, ['a message of an agent host does not have the form of the protocol', 'an agent host ended with turns running'])
})
