import { type Installation } from './installation.js'
import { forgetJournal, readJournal, writeJournal } from './journal.js'
import { goBack, repair, type Repaired } from './placing.js'

export interface StateOf { stateDir: string, installation: Installation }

/**
 * Before the service opens its database: ends what an update of this installation has left behind, and notes how it went.
 * `proving`: this is the new version, and the update is over when it has come up. Null: there was nothing. What another
 * installation has left behind is its own.
 */
export async function repairUpdate ({ stateDir, installation }: StateOf, nowS: number): Promise<Repaired | 'proving' | null> {
  const underWay = ownUpdate({ stateDir, installation })
  if (underWay === null) return null
  const repaired = await repair(stateDir, underWay)
  if (repaired === null) return 'proving'
  // The new version, which is started next, has still to come up.
  if (!(repaired.ok && repaired.restart)) note(stateDir, repaired, nowS)
  return repaired
}

/** After the new version has ended instead of coming up; this process has the state folder again. */
export async function undoUpdate ({ stateDir, installation }: StateOf, nowS: number): Promise<Repaired | null> {
  const underWay = ownUpdate({ stateDir, installation })
  if (underWay === null) return null
  const repaired = await goBack(stateDir, underWay)
  note(stateDir, repaired, nowS)
  return repaired
}

/** What is under way in this installation. */
export function ownUpdate ({ stateDir, installation }: StateOf): ReturnType<typeof readJournal>['underWay'] {
  const { underWay } = readJournal(stateDir)
  return underWay !== null && 'root' in installation && underWay.root === installation.root ? underWay : null
}

function note (stateDir: string, { ok, message }: Repaired, finishedAtS: number): void {
  try {
    writeJournal(stateDir, { underWay: null, last: { ok, message, finishedAtS } })
  } catch {
    // The service starts without the note, and must not take what is over for something that is under way.
    forgetJournal(stateDir)
  }
}
