import { setTimeout as delay } from 'node:timers/promises'
import { type ServerProcess } from '../../test/support/server.js'
import { type Answer } from '../wire.js'
import { type Arena } from './arena.js'
import { checkLedger, checkReplays, type Checks } from './check-ledger.js'
import { createClient, type Client } from './client.js'
import { createLedger, type Ledger } from './ledger.js'
import { workOn, type Life } from './work.js'

const endLimitMs = 60_000

/** People who work on one state folder, across any number of service starts, and what they were promised. */
export interface Crew {
  ledger: Ledger
  client (service: ServerProcess, name?: string): Client
  /** Does mixed work until `life` is over or the service is gone. */
  work (service: ServerProcess, life: Life, talkers?: number): Promise<void>
  /** Compares what was promised so far with the service's state. */
  check (service: ServerProcess): Promise<void>
  /** Reads every replay again that was read before. */
  checkReplays (service: ServerProcess): Promise<void>
}

export interface CrewOptions {
  home?: string
  /** Whether an answer is an expected refusal, and not a finding. */
  mayRefuse?: (answer: Answer) => boolean
  cardsMayEnd?: boolean
}

export function createCrew (arena: Arena, { home, mayRefuse, cardsMayEnd }: CrewOptions = {}): Crew {
  const { tally, random } = arena
  const ledger = createLedger()
  const digests: Checks['digests'] = new Map()
  const client = (service: ServerProcess, name = 'client'): Client => createClient({
    url: service.url, ledger, tally, random: random.branch(name + random.whole(0, 1e9)), mayRefuse, workspace: arena.workspace(home)
  })
  const checksOf = (service: ServerProcess): Checks => ({
    url: service.url, databaseFile: arena.databaseFile(home), client: client(service), ledger, tally, digests, cardsMayEnd
  })
  return {
    ledger,
    client,
    async work (service, life, talkers = arena.short ? 2 : 4) {
      const working = workOn((name) => client(service, name), ledger, life, { talkers, workspace: arena.workspace(home) }).then(() => true)
      while (!life.over && await Promise.race([working.then(() => false), delay(100, true)])) { /* until one of them is over */ }
      if (!await Promise.race([working, delay(endLimitMs, false, { ref: false })])) {
        tally.wrong(`a request or a turn was not over ${endLimitMs / 1000} s after the last one began`)
      }
    },
    check: async (service) => await checkLedger(checksOf(service)),
    checkReplays: async (service) => await checkReplays(checksOf(service))
  }
}
