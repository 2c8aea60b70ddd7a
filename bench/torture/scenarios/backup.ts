import Sqlite from 'better-sqlite3'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { asset } from '../../../services/ground/assets.js'
import { call } from '../../wire.js'
import { createCrew } from '../crew.js'
import { type Scenario } from '../scenario.js'

const project = asset('.')
const backupLimitMs = 60_000

const scripts = (): Record<string, string> =>
  (JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { scripts: Record<string, string> }).scripts

export const backupUnderLoad: Scenario = {
  name: 'backup',
  says: 'npm run backup while turns stream, and a service started on the result',
  short: false,
  missing: () => 'backup' in scripts() ? undefined : 'there is no script "backup" in package.json',
  async run (arena) {
    const { tally, rounds, folder } = arena
    const { url: modelUrl } = await arena.endpoint(80)
    const env = { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: modelUrl }
    const service = await arena.ready({ env })
    const crew = createCrew(arena)
    for (let round = 0; round < rounds; round++) {
      const life = { over: false }
      const working = crew.work(service, life)
      await delay(1_500)
      const promised = {
        sessions: [...crew.ledger.sessions], turns: crew.ledger.turns.map(({ sessionId, message }) => ({ sessionId, message }))
      }
      const target = join(folder, `backup-${round}`)
      mkdirSync(target)
      const beganMs = performance.now()
      await promisify(execFile)('npm', ['run', 'backup', '--', target], {
        cwd: project, timeout: backupLimitMs,
        env: { ...process.env, HOME: folder, SVC_HOME: join(folder, 'home'), SVC_WEBUI_DEFAULT_WORKSPACE: arena.workspace() }
      }).catch((error: Error & { stderr?: string }) =>
        tally.wrong(`the backup failed: ${error.message.slice(0, 300)} ${error.stderr?.slice(-300) ?? ''}`))
      tally.note(`a backup took ${Math.round(performance.now() - beganMs)} ms`)
      life.over = true
      await working
      await crew.check(service)
      await compareCopy(databaseIn(target), join(folder, `restored-${round}`), promised)
    }
    await arena.stop(service)

    /** Checks that a service on the copy has every session and message that was promised before the backup began. */
    async function compareCopy (
      copy: string | undefined, home: string,
      { sessions, turns }: { sessions: string[], turns: Array<{ sessionId: string, message: string }> }
    ): Promise<void> {
      if (copy === undefined) return tally.lost('sessions', 'there is no database in the backup')
      const db = new Sqlite(copy, { readonly: true })
      const integrity = db.pragma('integrity_check', { simple: true })
      if (integrity !== 'ok') tally.wrong(`integrity_check of the backup: ${String(integrity)}`)
      db.close()
      mkdirSync(dirname(arena.databaseFile(home)), { recursive: true })
      cpSync(copy, arena.databaseFile(home))
      const restored = await arena.ready({ env, home })
      for (const id of sessions) {
        const { status, body } = await call(`${restored.url}/api/session?session_id=${id}`)
        if (status !== 200) tally.lost('sessions', `the backup has no session ${id}`)
        else {
          for (const { message } of turns.filter(({ sessionId }) => sessionId === id)) {
            if (!JSON.stringify(body.session.messages).includes(message)) tally.lost('messages', `the backup has no "${message}"`)
          }
        }
      }
      await arena.stop(restored)
    }
  }
}

/** Finds the database in a backup's folder. */
function databaseIn (folder: string): string | undefined {
  if (!existsSync(folder)) return undefined
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.db')).map((path) =>
    join(folder, path))[0]
}
