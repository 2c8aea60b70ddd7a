import { type Installation } from './installation.js'
import { endUpdate, readJournal } from './journal.js'
import { type Repaired } from './placing.js'

export interface StateOf { stateDir: string, installation: Installation }

/**
 * Called before the service opens its database: ends what an update of this installation has left, and stores the result. `proving`: this
 * is the new version, and the update ends when it has come up. Null: nothing was left. Updates of other installations are left alone.
 */
export async function repairUpdate ({ stateDir, installation }: StateOf, nowS: number): Promise<Repaired | 'proving' | null> {
  const underWay = ownUpdate({ stateDir, installation })
  if (underWay === null) return null
  const { repair } = await import('./placing.js')
  const repaired = await repair(stateDir, underWay)
  if (repaired === null) return 'proving'
  // Not stored yet: the new version, which is started next, still has to come up.
  if (!(repaired.ok && repaired.restart)) note(stateDir, repaired, nowS)
  return repaired
}

/** Called after the new version has ended instead of coming up; this process holds the state folder again. */
export async function undoUpdate ({ stateDir, installation }: StateOf, nowS: number): Promise<Repaired | null> {
  const underWay = ownUpdate({ stateDir, installation })
  if (underWay === null) return null
  const { goBack } = await import('./placing.js')
  const repaired = await goBack(stateDir, underWay)
  note(stateDir, repaired, nowS)
  return repaired
}

/** Returns the active update of this installation. */
export function ownUpdate ({ stateDir, installation }: StateOf): ReturnType<typeof readJournal>['underWay'] {
  const { underWay } = readJournal(stateDir)
  return underWay !== null && 'root' in installation && underWay.root === installation.root ? underWay : null
}

/** The service starts even if this cannot be stored. */
const note = (stateDir: string, { ok, message }: Repaired, finishedAtS: number): unknown =>
  endUpdate(stateDir, { ok, message, finishedAtS })
