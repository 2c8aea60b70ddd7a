import { openInPortions, type Database, type OpenOptions } from '../../ground/database/index.js'
import { type Log } from '../../ground/log.js'
import { type WaitingRoom } from './waiting-room.js'

export interface UpgradeOptions {
  /** Opened when there is something to do. */
  room: WaitingRoom
  log: Log
}

export interface Upgrade {
  /** Opens the database, after making all changes that this version needs. Throws as openDatabase does. */
  open (options: OpenOptions): Promise<Database>
}

/** Progress is logged in this many steps. */
const toldSteps = 10

/** Opens the database portion by portion, and reports the progress meanwhile, to clients of the service and in its log. */
export function createUpgrade ({ room, log }: UpgradeOptions): Upgrade {
  let toldStep = -1
  async function tell (progress: number): Promise<void> {
    room.progress = progress
    await room.open()
    const step = Math.floor(progress * toldSteps)
    if (step <= toldStep) return
    toldStep = step
    log(`upgrading the database, ${Math.floor(progress * 100)} % done`, { progress })
  }
  return {
    async open (options) {
      const beganAtMs = performance.now()
      const db = await openInPortions(options, tell)
      if (toldStep >= 0) log('the database is upgraded', { seconds: Math.round((performance.now() - beganAtMs) / 100) / 10 })
      return db
    }
  }
}
