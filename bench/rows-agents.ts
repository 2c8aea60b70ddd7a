import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asset } from '../services/ground/assets.js'
import { type Bench } from './context.js'
import { startService } from './processes.js'
import { median, percentile } from './report.js'
import { hearTurn, newSessions } from './turns.js'

const program = asset('test/support/acp/agent.js')
const chunksPerSecond = 50
const stamp = /t(\d{15,17}) /g

/** Measures turns of a scripted agent of another maker against its own pipe read directly: how late each chunk is. */
export async function agentRows ({ home: _, report, quick, ...bench }: Bench): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'bench-agents-'))
  const agent = { type: 'acp', command: [process.execPath, program], allow_unasked_modes: ['ask'] }
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({ agent }))
  const service = await startService({ ...bench, home })
  const chunks = (quick ? 2 : 6) * chunksPerSecond
  try {
    const [warm] = await newSessions(service.url, 1)
    await hearTurn(service.url, warm!, 'drip 5')
    for (const count of [1, 20]) {
      const bare = await readPipe(count, chunks)
      const ids = await newSessions(service.url, count)
      const heard = await Promise.all(ids.map(async (id) => await hearTurn(service.url, id, `drip ${chunks}`)))
      const here = heard.flatMap(({ delaysMs }) => delaysMs)
      const name = `${count} × ${chunksPerSecond} chunks/s of an agent`
      report.add({
        measure: `${name}: added delay per chunk, p50`, value: median(here) - median(bare), unit: 'ms', bare: median(bare),
        bareUnit: 'ms at its pipe', promise: { most: 5 }
      })
      report.add({
        measure: `${name}: added delay per chunk, p99`, value: percentile(here, 0.99) - percentile(bare, 0.99), unit: 'ms',
        bare: percentile(bare, 0.99), bareUnit: 'ms at its pipe'
      })
      report.add({
        measure: `${name}: chunks lost or doubled`,
        value: Math.abs(count * chunks - here.length) + heard.reduce((sum, { misplaced }) => sum + misplaced, 0), unit: '',
        promise: { most: 0 }, note: `${here.length} of ${count * chunks}`
      })
    }
  } finally {
    await service.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

/** Returns how late each chunk is at the end of the agent's own pipe, in milliseconds. */
async function readPipe (sessions: number, chunks: number): Promise<number[]> {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'], env: { PATH: process.env.PATH } })
  const delaysMs: number[] = []
  let open = sessions
  const send = (message: Record<string, unknown>): void => { child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`) }
  await new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const now = performance.timeOrigin + performance.now()
      const {
        id, result, params
      } = JSON.parse(line) as { id?: string, result?: { sessionId?: string }, params?: { update?: { content?: { text?: string } } } }
      for (const match of (params?.update?.content?.text ?? '').matchAll(stamp)) delaysMs.push(now - Number(match[1]) / 1000)
      if (result?.sessionId !== undefined) {
        send({
          id: 'prompt', method: 'session/prompt', params: { sessionId: result.sessionId, prompt: [{ type: 'text', text: `drip ${chunks}` }] }
        })
      }
      if (id === 'prompt' && --open === 0) resolve()
    })
    send({ id: 'initialize', method: 'initialize', params: { protocolVersion: 1 } })
    for (let session = 0; session < sessions; session++) send({ id: 'new', method: 'session/new', params: { cwd: '/', mcpServers: [] } })
  })
  child.kill()
  return delaysMs
}
