import { setTimeout as delay } from 'node:timers/promises'
import { needs } from '../../../test/support/programs.js'
import { freePort } from '../../../test/support/listening.js'
import { moments } from '../../machines/moments.js'
import { Stage } from '../../machines/stage.js'
import { type Arena } from '../arena.js'
import { type Random } from '../random.js'
import { type Scenario } from '../scenario.js'

/** What is killed together; `empty` is a NATS server that returns without its stored data, `agent` the agent process on the machine. */
const victims = ['nats', 'empty', 'machine', 'agent', 'service', 'service+nats', 'service+machine']
const blowsOfRound = 8

export const machines: Scenario = {
  name: 'machines',
  says: 'kill -9 of the NATS server, a machine, its agent process, the service, and two at once, in the middle of work on that machine',
  short: false,
  missing: () => needs('nats-server').skip,
  async run (arena) {
    const { tally, random, rounds } = arena
    const stage = new Stage({ servicePort: await freePort(), natsPort: await freePort(), folder: `${arena.folder}/stage` })
    arena.later(async () => await stage.end())
    await stage.startAll()
    tally.tried('starts', 3)
    for (const [victim, moment] of inAnyOrder(random).slice(0, rounds * blowsOfRound)) {
      const problem = await tryOut(arena, stage, victim.split('+'), moment)
      tally.checked()
      if (problem === null) continue
      tally.wrong(`${victim} killed during ${moment}: ${problem}`)
      for (const program of ['machine', 'service', 'nats']) await stage.kill(program)
      await stage.startAll()
    }
  }
}

/** Returns every victim in every moment, shuffled. */
const inAnyOrder = (random: Random): Array<readonly [string, string]> =>
  victims.flatMap((victim) => Object.keys(moments).map((moment) => [victim, moment] as const))
    .map((pair) => ({ pair, place: random.next() })).sort((one, other) => one.place - other.place).map(({ pair }) => pair)

/** Returns what is wrong after a kill at this moment, including the next turn; null if nothing is. */
async function tryOut ({ tally }: Arena, stage: Stage, struck: string[], moment: string): Promise<string | null> {
  const has = (...names: string[]): boolean => names.some((name) => struck.includes(name))
  try {
    const problem = await moments[moment]!({
      stage,
      async strike () {
        await strike(stage, struck)
        tally.tried('kills', struck.length)
      },
      mayEnd: has('machine', 'agent', 'empty'),
      endsThere: has('machine', 'agent'),
      losesAnswers: has('service'),
      note: () => {}
    })
    tally.tried('turns')
    await stage.ready()
    return problem ?? await stage.wholeTurn(await stage.begin('slow 5'), 5)
  } catch (error) {
    return String(error)
  }
}

async function strike (stage: Stage, struck: string[]): Promise<void> {
  const again: Readonly<Record<string, () => Promise<void> | void>> = {
    nats: async () => await stage.startNats(),
    empty: async () => await stage.startNats({ empty: true }),
    machine: () => stage.startMachine(),
    service: async () => await stage.startService()
  }
  for (const pid of struck.includes('agent') ? stage.agentPids() : []) process.kill(pid, 'SIGKILL')
  const programs = struck.filter((victim) => victim in again)
  await Promise.all(programs.map(async (victim) => await stage.kill(victim === 'empty' ? 'nats' : victim)))
  await delay(1_500)
  for (const program of programs) await again[program]!()
}
