import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../services/ground/database/index.js'
import { createAudit } from '../../services/areas/audit/index.js'
import { createUpdates } from '../../services/areas/updates/index.js'
import { readJournal, writeJournal } from '../../services/areas/updates/journal.js'
import { type UpdatesOptions } from '../../services/areas/updates/updates.js'
import { type Installation } from './installation.js'

/** Returns updates of a small project, and whether a restart was requested. */
export function updatesOf (project: Installation, more: Partial<UpdatesOptions> = {}, name = 'state') {
  const stateDir = join(project.top, name)
  mkdirSync(stateDir, { recursive: true })
  const db = openDatabase({ file: ':memory:' })
  let wish: number | null = null
  const restarted = Promise.withResolvers<void>()
  const updates = createUpdates({
    environment: process.env,
    installation: { root: project.folder },
    packageName: 'agent-web-service',
    stateDir,
    clock: { now: () => Date.now() },
    audit: createAudit({ db, clock: { now: () => Date.now() } }),
    kept: { read: () => null, write: () => {} },
    wish: { read: () => wish, write: (sinceS) => { wish = sinceS } },
    settings: () => ({ check_for_updates: true, update_channel: 'stable' }),
    busy: () => ({ activeStreams: 0, activeRuns: 0, streamIds: [] }),
    turns: { hold: () => {}, release: () => {} },
    snapshot: async () => null,
    restart: () => restarted.resolve(),
    restartAfterMs: 1,
    log: () => {},
    ...more
  })
  const apply = async (target: string): ReturnType<typeof updates.apply> => {
    const answer = await updates.apply(target)
    if ('restart_scheduled' in answer) {
      await restarted.promise
      await updates.stop()
    }
    return answer
  }
  return { ...updates, apply, applyAlone: updates.apply, restarted: restarted.promise, stateDir }
}

/** Returns everything of an installation that an update could leave behind. */
export const stateOf = ({ folder, git }: Installation) => [git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('stash', 'list'), readdirSync(folder).sort(), git('worktree', 'list')]

/** Records that the new version has begun to start, as the program's starter does. Throws if no update is in progress. */
export function noteStart (stateDir: string): void {
  const { underWay, last } = readJournal(stateDir)
  if (underWay === null) throw new Error('No update is under way')
  writeJournal(stateDir, { underWay: { ...underWay, started: true }, last })
}
