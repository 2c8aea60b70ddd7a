import { setImmediate as pass } from 'node:timers/promises'
import t from '#test'
import { AgentPipe } from '../../../services/agent/acp/pipe.js'
import { eventually } from '../../support/chat.js'

/** Starts a program that reads nothing. */
async function deaf (t: { teardown (end: () => unknown): unknown }) {
  const pipe = await AgentPipe.start({ file: '/bin/sh', args: ['-c', 'exec sleep 600'], cwd: '/', env: process.env as Record<string, string>, onMessage: () => true })
  t.teardown(async () => await pipe.close())
  const writer = pipe.stream.writable.getWriter()
  const send = async (chars: number): Promise<void> => await writer.write({ jsonrpc: '2.0', method: '_text', params: { text: 'x'.repeat(chars) } })
  return { pipe, send }
}

t.test('an agent has not caught up with a message that is still being sent', async (t) => {
  const { pipe, send } = await deaf(t)
  const sent = send(10_000_000)
  await pass()
  let hasCaughtUp = false
  const caughtUp = pipe.caughtUp().then(() => { hasCaughtUp = true })
  await sent
  for (let passes = 0; passes < 10; passes++) await pass()
  t.notOk(hasCaughtUp)
  await pipe.close()
  await caughtUp
})

t.test('an agent that reads nothing is ended, also if long messages come one right after the other', async (t) => {
  const { pipe, send } = await deaf(t)
  await Promise.all([send(36_000_000), send(36_000_000), send(10)])
  await eventually('its end', () => pipe.isClosed)
  await pipe.closed
  t.match(pipe.ending, 'it does not read what it is sent')
})
