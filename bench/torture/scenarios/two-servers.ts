import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Arena } from '../arena.js'
import { createCrew } from '../crew.js'
import { type Scenario } from '../scenario.js'

export const twoServers: Scenario = {
  name: 'two-servers',
  says: 'several servers on one state folder: one serves, the others exit with the reason',
  short: false,
  async run (arena) {
    const { tally, short, rounds } = arena
    const { url: modelUrl } = await arena.endpoint(200)
    const env = { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: modelUrl }
    const crew = createCrew(arena)
    for (let round = 0; round < rounds; round++) {
      const all = await Promise.all(Array.from({ length: short ? 2 : 4 }, async () => await arena.service({ env })))
      const up = all.filter(({ url }) => url !== '')
      if (up.length !== 1) tally.wrong(`${up.length} of ${all.length} servers came up on one folder at once`)
      const service = up[0]
      if (service === undefined) throw new Error(`none came up: ${all.map((other) => other.output()).join(' / ')}`)
      for (const other of all.filter(({ url }) => url === '')) expectExplained(arena, await other.exited, other.output(), service.pid)
      const life = { over: false }
      const working = crew.work(service, life)
      // Without the file that names its holder, the lock still holds.
      rmSync(join(arena.folder, 'home', 'webui', 'server.pid'), { force: true })
      const late = await arena.service({ env })
      if (late.url !== '') tally.wrong('a second server came up beside one at work')
      else expectExplained(arena, await late.exited, late.output(), null)
      life.over = true
      await working
      await crew.check(service)
      // A killed service delays nothing.
      await service.crash()
      tally.tried('kills')
      const next = await arena.ready({ env })
      await crew.check(next)
      await arena.stop(next)
    }
  }
}

function expectExplained ({ tally }: Arena, code: number | string, output: string, holder: number | null): void {
  if (code !== 1) tally.wrong(`the one that was too many ended with ${code}`)
  if (!/in use/.test(output) || /\n\s+at .*:\d+:\d+/.test(output)) tally.wrong(`it did not say so in plain words: ${output.slice(0, 300)}`)
  if (holder !== null && !output.includes(String(holder)) && !/another server\b/.test(output)) {
    tally.wrong(`it did not name process ${holder}: ${output.slice(0, 200)}`)
  }
}
