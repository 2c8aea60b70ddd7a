import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { codeOf } from '../../../ground/errors.js'
import { openListener, openSpeaker, type Package } from './sherpa.js'
import { type Ask, type Order, type Reply } from './process.js'

const repliesFd = 3

/**
 * The entry of the process that runs a speech or transcription model: an order as argument, requests as lines of JSON on standard input,
 * replies on a separate pipe, because native code writes to the standard ones. It ends with its input, even in the middle of a piece.
 */
const order = JSON.parse(process.argv[2] ?? '') as Order
const lines = createInterface({ input: process.stdin })
lines.once('close', () => process.kill(process.pid, 'SIGKILL'))
void begin()

async function begin (): Promise<void> {
  const answer = await load()
  if (answer === null) return
  let last = Promise.resolve()
  lines.on('line', (line) => {
    last = last.then(async () => {
      reply(await answer(JSON.parse(line) as Ask).catch((): Reply => ({ failure: 'piece' })))
    })
  })
  reply({ ready: true })
}

async function load (): Promise<((ask: Ask) => Promise<Reply>) | null> {
  let engine: Package
  try {
    engine = createRequire(import.meta.url)(order.module) as Package
  } catch {
    reply({ failure: 'package' })
    return null
  }
  try {
    return order.task === 'speak'
      ? await openSpeaker(engine, order.model)
      : await openListener(engine, order.model, order.language, (partial) => reply({ partial }))
  } catch {
    reply({ failure: 'model' })
    return null
  }
}

/** A pipe may accept a large reply only in parts. */
function reply (what: Reply): void {
  let rest = Buffer.from(`${JSON.stringify(what)}\n`)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(repliesFd, rest))
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') throw error
    }
  }
}
