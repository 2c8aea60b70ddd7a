import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readJournal } from '../../../services/areas/updates/journal.js'
import { asset } from '../../../services/ground/assets.js'
import { type TestLike } from '../../../test/support/app.js'
import { startGitServer } from '../../../test/support/git-http.js'
import { builtService, cannotListen, realInstallation, type Installation } from '../../../test/support/installation.js'
import { canMount } from '../../../test/support/mounting.js'
import { type ServerProcess } from '../../../test/support/server.js'
import { call } from '../../wire.js'
import { processesOf, type Arena } from '../arena.js'
import { createCrew, type Crew } from '../crew.js'
import { startCuttingProxy } from '../cutting-proxy.js'
import { updateOnFullDisk } from '../full-update-disk.js'
import { corruptRemote, failingVersions, objectsIn } from '../failing-versions.js'
import { type Scenario } from '../scenario.js'

/** Steps of the update at which the service is killed, and how many milliseconds each may last. */
const steps = [['preparing', 4_000], ['placing', 60], ['placed', 300]] as const
const stepLimitMs = 60_000
const tidyLimitMs = 10_000
/** A version that cannot start is replaced at its second start, and then the previous version must be started. */
const mostStarts = 5

interface Site { arena: Arena, project: Installation, crew: Crew, service: ServerProcess, page: number }

export const updates: Scenario = {
  name: 'updates',
  says: 'updates that fail at each stage or are killed at each step: the previous version or the new one serves, with everything that was acknowledged',
  short: false,
  async run (arena) {
    const t: TestLike = { teardown: arena.later, fail: arena.tally.wrong }
    const project = realInstallation(t, builtService(t))
    const site: Site = { arena, project, crew: createCrew(arena), service: await start(arena, project), page: 0 }
    const proxy = await startCuttingProxy(new URL((await startGitServer(t, project.top)).url('remote.git')).origin)
    arena.later(proxy.close)
    for (let round = 0; round < arena.rounds; round++) {
      if (canMount()) await updateOnFullDisk(arena, t, `disk-${round}`)
      await failsAt(site, 'a remote that is gone', /./, () => {
        project.git('remote', 'set-url', 'origin', `${project.remote}.gone`)
        return () => project.git('remote', 'set-url', 'origin', project.remote)
      })
      await failsAt(site, 'a download that is cut', /./, () => {
        project.git('remote', 'set-url', 'origin', `${proxy.url}/remote.git`)
        proxy.letThrough = arena.random.whole(0, 200)
        return () => project.git('remote', 'set-url', 'origin', project.remote)
      })
      const known = new Set(objectsIn(project.remote))
      await failsAt(site, 'objects that are not what their hashes say', /./, () => corruptRemote(project, known))
      for (const { stage, words, files } of failingVersions) await failsAt(site, stage, words, () => () => {}, files(project))
      for (const [step, longestMs] of steps) await killAt(site, step, longestMs)
      await killWhileReturning(site)
      await givesWay(site)
      await succeeds(site)
    }
    await arena.stop(site.service)
  }
}

const start = async (arena: Arena, { folder }: Installation): Promise<ServerProcess> => await arena.service({
  env: { SVC_WEBUI_RESTART: 'exit', OFFLINE_DEMO_WORDS_PER_SECOND: '0' }, program: join(folder, 'dist', 'server.js')
})

/** Creates another version, which works unless `files` make it fail; what an earlier version changed is restored. */
function release (site: Site, files: Record<string, string | null> = {}): string {
  const { project } = site
  const work = join(project.top, 'work')
  const usual = {
    'package.json': project.git('show', `${first(project)}:package.json`), 'package-lock.json': project.git('show', `${first(project)}:package-lock.json`)
  }
  const gone = Object.fromEntries(['change.js', 'lib.tgz'].filter((path) => existsSync(join(work, path))).map((path) => [path, null]))
  return project.release({ ...usual, ...gone, 'page.html': `page ${++site.page}\n`, ...files })
}

const first = (project: Installation): string => project.git('rev-list', '--max-parents=0', 'HEAD')

/** Adds entries to the ledger, which must survive everything that follows. */
async function promise ({ crew, service, page }: Site): Promise<void> {
  const client = crew.client(service)
  const sessionId = await client.newSession()
  await client.rename(sessionId, `Before version ${page}`)
  await client.turn(sessionId, 'help')
}

const apply = async ({ service }: Site): Promise<{ ok: boolean, message: string }> =>
  await service.json('/api/updates/apply', { target: 'webui' })

/** Tries an update that must be refused with a reason while the service continues. `harm` returns a function that undoes it. */
async function failsAt (
  site: Site, stage: string, words: RegExp, harm: () => () => unknown, files?: Record<string, string | null>
): Promise<void> {
  const { project, arena: { tally } } = site
  const before = project.git('rev-parse', 'HEAD')
  release(site, files)
  await promise(site)
  tally.tried('faults')
  const undo = harm()
  const answer = await apply(site)
  undo()
  tally.checked()
  if (answer.ok || !words.test(answer.message)) tally.wrong(`${stage}: the update is answered ${JSON.stringify(answer)}`)
  if (/\/tmp\/|\n\s+at /.test(answer.message)) tally.wrong(`${stage}: the answer names files of the server: ${answer.message}`)
  await expectWhole(site, stage, [before])
}

/** Kills the service while an update is at a step; the next start must bring it to one of its ends. */
async function killAt (site: Site, step: typeof steps[number][0], longestMs: number): Promise<void> {
  const { arena: { tally, random }, project } = site
  const before = project.git('rev-parse', 'HEAD')
  const to = release(site)
  await promise(site)
  const applying = apply(site).catch(() => null)
  await untilStep(site, step)
  await delay(random.whole(0, longestMs))
  await site.service.end('SIGKILL')
  tally.tried('kills')
  await applying
  site.service = await startAgain(site)
  await expectWhole(site, `killed while ${step}`, [before, to])
}

/** Kills a version that does not listen while it is being reverted. */
async function killWhileReturning (site: Site): Promise<void> {
  const { arena, arena: { tally, random }, project } = site
  const before = project.git('rev-parse', 'HEAD')
  release(site, { 'change.js': cannotListen })
  await promise(site)
  await apply(site)
  await site.service.exited
  const returning = start(arena, project)
  await untilStep(site, 'returning')
  await delay(random.whole(0, 100))
  for (const { pid, command } of processesOf(arena.folder)) if (command.includes(project.folder)) process.kill(pid, 'SIGKILL')
  tally.tried('kills')
  await returning
  site.service = await startAgain(site)
  await expectWhole(site, 'killed while returning', [before])
}

async function givesWay (site: Site): Promise<void> {
  const before = site.project.git('rev-parse', 'HEAD')
  release(site, { 'change.js': cannotListen })
  await promise(site)
  await apply(site)
  await site.service.exited
  site.arena.tally.tried('faults')
  site.service = await startAgain(site)
  await expectWhole(site, 'a version that cannot listen', [before])
}

async function succeeds (site: Site): Promise<void> {
  const to = release(site)
  await promise(site)
  const answer = await apply(site)
  if (!answer.ok) site.arena.tally.wrong(`a good version is answered ${JSON.stringify(answer)}`)
  else await site.service.exited
  site.service = await startAgain(site)
  await expectWhole(site, 'a good version', [to])
}

/** Waits until the journal of the update says that it is at the step, or the update is over. */
async function untilStep ({ arena }: Site, step: string): Promise<void> {
  const stateDir = join(arena.folder, 'home', 'webui')
  const untilMs = performance.now() + stepLimitMs
  for (let hasBegun = false; performance.now() < untilMs;) {
    const { underWay } = readJournal(stateDir)
    if (underWay?.step === step || (hasBegun && underWay === null)) return
    hasBegun ||= underWay !== null
    await delay(1)
  }
  arena.tally.wrong(`no update was ${step} within ${stepLimitMs / 1000} s`)
}

/** Starts the service as a supervisor does: `scripts/finish-update.js`, then the program, until it serves. */
async function startAgain ({ arena, project }: Site): Promise<ServerProcess> {
  let said = ''
  for (let attempt = 0; attempt < mostStarts; attempt++) {
    execFileSync(process.execPath, [asset('scripts/finish-update.js')], { cwd: project.folder, stdio: 'ignore' })
    const service = await start(arena, project)
    if (service.url !== '') return service
    said += service.output().slice(-300)
  }
  throw new Error(`the service did not serve after ${mostStarts} starts: ${said}`)
}

/**
 * Checks that one of the versions serves, with its own files and build, no leftovers of an attempt, and everything that was acknowledged.
 */
async function expectWhole (site: Site, what: string, versions: string[]): Promise<void> {
  const { arena: { tally }, project, service, crew } = site
  const wrong = (text: string): void => tally.wrong(`${what}: ${text}`)
  const head = project.git('rev-parse', 'HEAD')
  tally.checked(4)
  if (!versions.includes(head)) wrong(`commit ${head.slice(0, 7)} is checked out`)
  const { status } = await call(`${service.url}/health`)
  if (status !== 200) wrong(`/health is ${status}`)
  const built = join(project.folder, 'dist', 'web', 'page-of-version.html')
  if (!existsSync(built) || project.read('dist/web/page-of-version.html').trim() !== project.git('show', `${head}:page.html`)) {
    wrong('the build is not that of the commit that is checked out')
  }
  const changes = project.git('status', '--porcelain')
  if (changes !== '') wrong(`the checkout has changes: ${changes}`)
  const untilMs = performance.now() + tidyLimitMs
  while (existsSync(join(project.folder, '.update')) && performance.now() < untilMs) await delay(50)
  if (existsSync(join(project.folder, '.update'))) wrong('what the update had made is still there')
  await crew.check(service)
}
