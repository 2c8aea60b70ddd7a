import { appendFileSync, existsSync, statfsSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestLike } from '../../test/support/app.js'
import { installation } from '../../test/support/installation.js'
import { stateOf, updatesOf } from '../../test/support/updates.js'
import { type Arena } from './arena.js'

const sizeMb = 8
const attempts = 6
const blockBytes = 16 * 1024

/** Updates a small installation on a disk of its own, which has a random amount of space left when the new version is built. */
export async function updateOnFullDisk (arena: Arena, t: TestLike, name: string): Promise<void> {
  const { tally, random } = arena
  const top = arena.tmpfs(name, sizeMb)
  const project = installation(t, top)
  const ballast = join(top, 'ballast')
  for (let attempt = 0; attempt < attempts; attempt++) {
    writeFileSync(ballast, '')
    const to = project.release({ 'large.txt': `${attempt}${'x'.repeat(1_000_000)}`, 'page.html': `page ${attempt}\n` })
    const before = stateOf(project)
    const leaveKb = random.whole(0, 1_500)
    const answer = await updatesOf(project, { snapshot: async () => { leaveRoom(ballast, leaveKb); return null } }, `state-${attempt}`).apply('webui')
    truncateSync(ballast)
    tally.tried('faults')
    tally.checked(2)
    const what = `an update with ${leaveKb} KB of room`
    const head = project.git('rev-parse', 'HEAD')
    if (answer.ok) {
      if (head !== to) tally.wrong(`${what} is answered with success, and ${head.slice(0, 7)} is checked out`)
      continue
    }
    if (!/no room left on the disk/.test(answer.message)) tally.wrong(`${what} is refused with "${answer.message}"`)
    if (JSON.stringify(stateOf(project)) !== JSON.stringify(before)) tally.wrong(`${what} changed the installation`)
    if (existsSync(join(project.folder, '.update'))) tally.wrong(`${what} left something behind`)
  }
}

function leaveRoom (file: string, freeKb: number): void {
  for (;;) {
    const { bavail, bsize } = statfsSync(file)
    const surplus = bavail * bsize - freeKb * 1024
    if (surplus <= 0) return
    try {
      appendFileSync(file, Buffer.alloc(Math.min(blockBytes, surplus)))
    } catch {
      return
    }
  }
}
