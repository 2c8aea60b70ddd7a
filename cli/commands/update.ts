import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ConsoleStatus } from '../../schemas/console.js'
import { UpdateApplied, UpdateCheck } from '../../schemas/updates.js'
import { findInstallation, wayToNewest } from '../../services/areas/updates/index.js'
import { dist } from '../../services/ground/assets.js'
import { commandLine } from '../../services/ground/command-line.js'
import { type Service } from '../asking.js'
import { CommandFailed, exitCodes, hasFlag, NotRunning, WrongUsage, type Run } from '../command.js'
import { askOf, isListening, placesNow, runningService } from '../service.js'
import { startLine } from '../unit-file.js'

const lookEveryMs = 250
/** How long to wait for the restart. It may migrate the database, which can take longer than any limit. */
const comesUpMs = 5 * 60_000

export const run: Run = async (asked) => {
  const [one, other] = ['check', 'wait', 'now', 'cancel'].filter((name) => hasFlag(asked, name))
  if (other !== undefined) throw new WrongUsage(`--${one} and --${other} cannot be used together`)
  if (hasFlag(asked, 'cancel')) {
    const service = await runningService()
    const cancelled = await service.ask('/api/updates/apply', UpdateApplied, { target: 'webui', cancel: true })
    if (!cancelled.ok) throw new CommandFailed(cancelled.message)
    return { text: `${cancelled.message}.`, value: cancelled }
  }
  const service = await serviceThatUpdates()
  const { webui } = await service.ask('/api/updates/check', UpdateCheck, { force: true })
  if (webui == null || webui.error !== undefined) throw new CommandFailed(webui?.error ?? webui?.message ?? 'The service could not find out whether a newer version exists')
  if (webui.no_git === true || webui.behind === null) {
    throw new CommandFailed(webui.message ?? 'This service cannot update itself. Update it the way it was installed')
  }
  const isNewest = webui.behind === 0
  if (isNewest || hasFlag(asked, 'check')) {
    const newest = webui.latest_version ?? webui.latest_sha ?? ''
    return {
      text: isNewest ? 'This is the newest version.' : `A newer version is available: ${newest}.`,
      value: webui,
      exitCode: isNewest ? exitCodes.done : exitCodes.failed
    }
  }
  const { pid } = await service.ask('/api/console', ConsoleStatus)
  const applied = await service.ask('/api/updates/apply', UpdateApplied, {
    target: 'webui', now: hasFlag(asked, 'now'), wait: hasFlag(asked, 'wait')
  })
  if (applied.restart_blocked === true) throw new CommandFailed(`${applied.message}. Or let the update wait (--wait), or end them (--now)`)
  if (!applied.ok) throw new CommandFailed(applied.message)
  if (applied.waiting === true) return { text: `${applied.message}. Cancel it with ${commandLine('update --cancel')}.`, value: applied }
  if (applied.restart_scheduled === true) await comesUpAgain(pid)
  return { text: applied.message, value: applied }
}

/** Returns the running service, which updates itself. Throws NotRunning, which says how to update without it. */
async function serviceThatUpdates (): Promise<Service> {
  try {
    return await runningService()
  } catch (error) {
    if (!(error instanceof NotRunning)) throw error
    const places = placesNow()
    const installation = findInstallation({ dist, startedAs: dist === null ? undefined : join(dist, 'server.js') })
    throw new NotRunning(places.stateDir, 'published' in installation
      ? wayToNewest(installation.published)
      : `Start it (${startLine(places)}) and run this command again, or update by hand: git pull && npm ci && npm run build`)
  }
}

/** Waits until another process serves. Throws CommandFailed where none comes. */
async function comesUpAgain (before: number): Promise<void> {
  const { stateDir } = placesNow()
  const ask = askOf(stateDir)
  for (const until = performance.now() + comesUpMs; performance.now() < until; await delay(lookEveryMs)) {
    if (!await isListening(stateDir)) continue
    const now = await ask('/api/console', ConsoleStatus).catch(() => null)
    if (now !== null && now.pid !== before) return
  }
  throw new CommandFailed(`The new version is in place, but the service has not come up yet. See ${commandLine('status')}, and its log`)
}
