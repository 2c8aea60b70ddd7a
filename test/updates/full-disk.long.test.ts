import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, rmSync, statfsSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { type UpdatesOptions } from '../../services/areas/updates/updates.js'
import { installation } from '../support/installation.js'
import { canMount } from '../support/mounting.js'
import { stateOf, updatesOf } from '../support/updates.js'

const noRoom = /^There is no room left on the disk for another version beside this one, so nothing was changed/

/** Creates an installation on a disk of 6 MB, with its state folder; `leave` uses up all but that many KB. */
function smallDisk (t: Test) {
  const top = mkdtempSync(join(tmpdir(), 'installation-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m,mode=0700', 'none', top])
  t.teardown(() => {
    execFileSync('umount', ['-l', top])
    rmSync(top, { recursive: true, force: true })
  })
  const project = installation(t, top)
  const ballast = join(top, 'ballast')
  const logged: string[] = []
  const log: UpdatesOptions['log'] = (message, details) => logged.push(`${message} ${JSON.stringify(details)}`)
  const update = async (snapshot: UpdatesOptions['snapshot'] = async () => null) => await updatesOf(project, { log, snapshot }).apply('webui')
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
    /** Checks that the update gives the reason, changes nothing, and succeeds once there is room. */
    async refuses (t: Test, what: string, snapshot?: UpdatesOptions['snapshot'], isFull = false) {
      const before = stateOf(project)
      if (isFull) this.leave(0)
      const answer = await update(snapshot)
      t.match(answer, { ok: false, target: 'webui', message: noRoom }, `${what}: ${answer.message} ${logged.join('\n')}`)
      truncateSync(ballast)
      t.same(stateOf(project), before, what)
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

  // There is room to build it, but not to check it out in its place.
  project.release({ 'large.txt': Buffer.alloc(1_000_000, 'y').toString() })
  await disk.refuses(t, 'the files of the new version in their place', async () => { disk.leave(1_400); return null })

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
