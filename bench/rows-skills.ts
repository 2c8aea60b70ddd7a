import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Skills } from '../services/areas/skills/index.js'
import { type Bench } from './context.js'
import { median } from './report.js'

const skillCount = 500
/** Longer than the service answers from its cache: each request reads the disk. */
const pauseMs = 1_600

/** Measures a list of many skills, and how soon it shows a new one. */
export async function skillRows ({ report, quick }: Bench): Promise<void> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'bench-skills-')))
  const put = (name: string, category: string): void => {
    const folder = join(home, 'skills', category, name)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(
      folder, 'SKILL.md'
    ), `---\nname: ${name}\ndescription: About ${name}, and when to use it\ntags: [a, b]\n---\n\n${'Do it well. '.repeat(200)}\n`)
  }
  for (let n = 0; n < skillCount; n++) put(`skill-${n}`, `category-${n % 20}`)
  const profile = { home, config: {} }
  const skills = new Skills({
    profiles: { existing: () => profile, settings: () => profile, configure: async () => {} } as never,
    clock: { now: () => Date.now() }, userHome: join(home, 'user'), shipped: join(home, 'shipped'), platform: process.platform,
    workers: {} as never, log: () => {}
  })
  const timed = async (look: () => Promise<unknown>): Promise<number> => {
    const startMs = performance.now()
    await look()
    return performance.now() - startMs
  }
  try {
    const firstMs = await timed(async () => await skills.list('default'))
    const warm: number[] = []
    const again: number[] = []
    for (let round = 0; round < (quick ? 20 : 200); round++) warm.push(await timed(async () => await skills.list('default')))
    for (let round = 0; round < (quick ? 2 : 5); round++) {
      await delay(pauseMs)
      again.push(await timed(async () => await skills.list('default')))
    }
    const seen: number[] = []
    for (let round = 0; round < (quick ? 1 : 3); round++) {
      put(`fresh-${round}`, 'fresh')
      seen.push(
        await timed(async () => { while (!(await skills.list('default')).some(({ name }) => name === `fresh-${round}`)) await delay(10) })
      )
    }
    report.add({ measure: `list of ${skillCount} skills, the first`, value: firstMs, unit: 'ms' })
    report.add({ measure: '… warm', value: median(warm), unit: 'ms', promise: { most: 10 } })
    report.add({ measure: '… with another look at the disk', value: median(again), unit: 'ms' })
    report.add({ measure: '… until it shows one that was put there', value: Math.max(...seen), unit: 'ms', promise: { most: 2_000 } })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
