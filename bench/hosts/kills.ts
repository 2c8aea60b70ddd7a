import { parseArgs } from 'node:util'
import { setTimeout as delay } from 'node:timers/promises'
import { moments } from './moments.js'
import { Stage } from './stage.js'

// What becomes of work on another machine when programs are killed (SIGKILL) in the middle of it, and started again. `agent` is the
// process of the profile on the machine; `empty` is a nats-server that comes back without what it had stored. Needs `nats-server`; runs
// for a while.
//   npm run build && npx tsx bench/hosts/kills.ts [--victims nats,service+nats] [--moments turn,upload] [--port 9100]

const { values } = parseArgs({
  options: {
    victims: { type: 'string', default: 'nats,empty,machine,agent,service,service+nats,service+machine' },
    moments: { type: 'string', default: Object.keys(moments).join(',') },
    port: { type: 'string', default: '9100' }
  }
})
const stage = new Stage({ servicePort: Number(values.port), natsPort: Number(values.port) + 1 })

const again: Readonly<Record<string, () => Promise<void> | void>> = {
  nats: async () => await stage.startNats(),
  empty: async () => await stage.startNats({ empty: true }),
  machine: () => stage.startMachine(),
  service: async () => await stage.startService()
}

async function strike (victims: readonly string[]): Promise<void> {
  for (const pid of victims.includes('agent') ? stage.agentPids() : []) process.kill(pid, 'SIGKILL')
  const programs = victims.filter((victim) => victim in again)
  await Promise.all(programs.map(async (victim) => await stage.kill(victim === 'empty' ? 'nats' : victim)))
  await delay(1_500)
  for (const program of programs) await again[program]!()
}

/** What is wrong when something was killed in this moment, also with the next turn; null when nothing is. */
async function tryOut (victims: readonly string[], moment: string): Promise<string | null> {
  const has = (...names: string[]): boolean => names.some((name) => victims.includes(name))
  try {
    const problem = await moments[moment]!({
      stage,
      strike: async () => await strike(victims),
      mayEnd: has('machine', 'agent', 'empty'),
      endsThere: has('machine', 'agent'),
      losesAnswers: has('service'),
      note: (line) => { if (line !== '') console.log(`        · ${line}`) }
    })
    await stage.ready()
    return problem ?? await stage.wholeTurn(await stage.begin('slow 5'), 5)
  } catch (error) {
    return String(error)
  }
}

let failures = 0
try {
  await stage.startAll()
  for (const victims of values.victims.split(',')) {
    for (const moment of values.moments.split(',')) {
      const begunMs = performance.now()
      const problem = await tryOut(victims.split('+'), moment)
      console.log(`${problem === null ? 'well ' : 'WRONG'} ${victims} killed: ${moment} (${((performance.now() - begunMs) / 1_000).toFixed(1)} s)${problem === null ? '' : `: ${problem}`}`)
      if (problem === null) continue
      failures++
      for (const program of ['machine', 'service', 'nats']) await stage.kill(program)
      await stage.startAll()
    }
  }
} finally {
  await stage.end()
}
console.log(failures === 0 ? 'Nothing was lost.' : `${failures} went wrong.`)
process.exit(failures === 0 ? 0 : 1)
