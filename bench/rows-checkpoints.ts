import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCheckpoints } from '../services/workspace/checkpoints/index.js'
import { openDatabase } from '../services/ground/database/index.js'
import { createWorkers } from '../services/ground/workers/index.js'
import { kinds } from '../services/threads/kinds.js'
import { type Bench } from './context.js'
import { median } from './report.js'

const fileCount = 5_000
const perFolder = 100

/** Measures what a checkpoint costs a turn before its first write. */
export async function checkpointRows ({ report, quick }: Bench): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bench-checkpoints-')))
  const root = join(folder, 'workspace')
  for (let n = 0; n < fileCount; n++) {
    const place = join(root, `folder-${Math.floor(n / perFolder)}`)
    if (n % perFolder === 0) mkdirSync(place, { recursive: true })
    writeFileSync(join(place, `file-${n}.ts`), `export const value${n} = '${'text '.repeat(400)}'\n`)
  }
  const db = openDatabase({ file: ':memory:' })
  const workers = createWorkers({ kinds })
  const checkpoints = createCheckpoints({
    db, workers, clock: { now: () => Date.now() }, folder: join(folder, 'checkpoints'), env: { PATH: process.env.PATH ?? '', HOME: folder },
    log: () => {}
  })
  let turns = 0
  const take = async (): Promise<number> => {
    const startMs = performance.now()
    const { checkpoint } = await checkpoints.take({ territory: { root, closed: [] }, sessionId: 'bench', streamId: `turn ${++turns}` })
    if (checkpoint.state !== 'ready') throw new Error(checkpoint.reason ?? 'skipped')
    return performance.now() - startMs
  }
  try {
    const firstMs = await take()
    const unchanged: number[] = []
    const changed: number[] = []
    for (let round = 0; round < (quick ? 3 : 9); round++) {
      unchanged.push(await take())
      writeFileSync(join(root, 'folder-0', 'file-0.ts'), `${round}\n`)
      changed.push(await take())
    }
    report.add({ measure: `first checkpoint of ${fileCount.toLocaleString('en')} files of 2 KB`, value: firstMs, unit: 'ms' })
    report.add({ measure: '… the next, nothing has changed', value: median(unchanged), unit: 'ms' })
    report.add({ measure: '… the next, one file has changed', value: median(changed), unit: 'ms' })
  } finally {
    await checkpoints.stop()
    await workers.close()
    db.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
