import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createUpdates } from '../../services/updates/index.js'
import { canMount } from '../support/mounting.js'
import { installation } from '../support/installation.js'

const noRoom = /^There is no room left on the disk for another version beside this one, so nothing was changed/

/** An installation on a disk of 6 MB, with its state folder; `leave` takes its room but for so many KB. */
function smallDisk (t: Test) {
  const top = mkdtempSync(join(tmpdir(), 'installation-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m,mode=0700', 'none', top])
  t.teardown(() => {
    execFileSync('umount', ['-l', top])
    rmSync(top, { recursive: true, force: true })
  })
  const project = installation(t, top)
  const ballast = join(top, 'ballast')
  const stateDir = join(top, 'state')
  mkdirSync(stateDir)
  const logged: string[] = []
  const update = async (snapshot = async (): Promise<string | null> => null) => await createUpdates({
    installation: { root: project.folder },
    packageName: 'agent-web-service',
    stateDir,
    clock: { now: () => Date.now() },
    kept: { read: () => null, write: () => {} },
    settings: () => ({ check_for_updates: true, update_channel: 'stable' }),
    busy: () => ({ activeStreams: 0, activeRuns: 0, streamIds: [] }),
    turns: { hold: () => {}, release: () => {} },
    snapshot,
    restart: () => {},
    restartAfterMs: 1,
    log: (message, details) => logged.push(`${message} ${JSON.stringify(details)}`)
  }).apply('webui')
  const state = () => [project.git('rev-parse', 'HEAD'), project.git('status', '--porcelain'), project.git('stash', 'list'), readdirSync(project.folder).sort(), project.git('worktree', 'list')]
  return {
    project,
    update,
    logged,
    leave (freeKb: number) {
      appendFileSync(ballast, '')
      for (;;) {
        const { bavail, bsize } = statfsSync(top)
        if (bavail * bsize <= freeKb * 1024) return
        try {
          appendFileSync(ballast, Buffer.alloc(Math.min(64 * 1024, bavail * bsize - freeKb * 1024)))
        } catch { return }
      }
    },
    /** The update says why not, leaves all as it was, and goes through once there is room. */
    async refuses (t: Test, what: string, snapshot?: () => Promise<string | null>, isFull = false) {
      const before = state()
      if (isFull) this.leave(0)
      const answer = await update(snapshot)
      t.match(answer, { ok: false, target: 'webui', message: noRoom }, `${what}: ${answer.message} ${logged.join('\n')}`)
      truncateSync(ballast)
      t.same(state(), before, what)
      t.notOk(existsSync(join(project.folder, '.update')), `${what}: nothing of it is left`)
    }
  }
}

t.test('a disk without room is said in words, wherever an update meets its end', canMount() ? {} : { skip: 'disks cannot be mounted here' }, async (t) => {
  const disk = smallDisk(t)
  const { project } = disk
  const [build, server] = [project.read('build.js'), project.read('server.js')]
  const fills = "require('node:fs').appendFileSync('fill', Buffer.alloc(64 * 1024 * 1024, 'x'))\n"
  project.release({ 'page.html': 'two\n' })
  await disk.refuses(t, 'what is fetched', undefined, true)

  project.release({ 'page.html': 'three\n' })
  await disk.refuses(t, 'the note that it has begun', async () => { disk.leave(0); return null })

  project.release({ 'large.txt': Buffer.alloc(1_000_000, 'x').toString() })
  await disk.refuses(t, 'the files of the new version', async () => { disk.leave(200); return null })

  project.release({ 'large.txt': null, 'build.js': `${build}${fills}` })
  await disk.refuses(t, 'its build')

  project.release({ 'build.js': build, 'server.js': `${fills}${server}` })
  await disk.refuses(t, 'its trial')

  project.release({ 'server.js': `if (process.argv.includes('--check-configuration')) throw new Error('ENOSPC: no space left on device, write')\n${server}` })
  await disk.refuses(t, 'its configuration')

  const latest = project.release({ 'server.js': server })
  t.match(await disk.update(), { ok: true, restart_scheduled: true }, disk.logged.join('\n'))
  t.equal(project.git('rev-parse', 'HEAD'), latest)
})
