import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { confine } from '../../../services/agent/sandbox/index.js'
import { needsSandbox, sandbox } from '../../support/needs-sandbox.js'

/** Between the check of a folder and its mount, another command has put a link in its place. */
t.test('a link that takes the place of what was looked at is not followed out of the workspace', needsSandbox, async (t) => {
  if (!sandbox.available || sandbox.kind !== 'bwrap') throw new Error('There is no sandbox')
  const { program: bwrap, filters = false } = sandbox
  for (const [name, swapped, depth] of [['the workspace itself', '', 0], ['a folder above a repository', 'sub', 1], ['a repository', 'sub/.git', 2], ['its hooks', 'sub/.git/hooks', 3], ['its settings', 'sub/.git/config', 3], ['what is hidden', 'keys.env', 1]] as const) {
    const root = mkdtempSync('/var/tmp/swapped-')
    t.teardown(() => rmSync(root, { recursive: true }))
    const workspace = join(root, 'above', 'odd \\ work')
    // The folders outside look the same as the expected ones.
    for (const folder of [workspace, join(root, 'victim')]) {
      for (const at of ['', 'sub', 'sub/.git', 'sub/.git/hooks']) {
        mkdirSync(join(folder, at, 'sub', '.git', 'hooks'), { recursive: true })
        mkdirSync(join(folder, at, '.git', 'hooks'), { recursive: true })
        mkdirSync(join(folder, at, 'hooks'), { recursive: true })
        for (const file of ['secret', 'sub/.git/config', '.git/config', 'config', 'keys.env']) writeFileSync(join(folder, at, file), folder === workspace ? 'own\n' : 'secret\n')
      }
    }
    const run = (before: () => void) => {
      const { file, args } = confine({
        bwrap, program: '/bin/bash', argv: ['-c', 'shopt -s globstar dotglob; cat keys.env **/secret **/config ../../victim/secret; for f in . **/; do echo x > "$f/planted"; done; grep -c . /proc/self/mountinfo >/dev/null; echo ran'],
        workspace, cwd: workspace, hidden: [join(workspace, 'keys.env')], repositories: [join(workspace, 'sub', '.git')], filters, env: { PATH: process.env.PATH ?? '', HOME: '/nowhere' }
      })
      before()
      return spawnSync(file, args, { encoding: 'utf8', env: { PATH: process.env.PATH ?? '' } })
    }
    t.match(run(() => {}).stdout, /own[^]*ran\n$/, 'it runs as long as nobody swaps anything')
    const place = join(workspace, swapped)
    const target = swapped.includes('config') || swapped === 'keys.env' ? 'victim/secret' : 'victim'
    const { stdout, stderr, status } = run(() => {
      renameSync(place, `${place}.old`)
      symlinkSync(`${'../'.repeat(depth + 1)}${target}`, place)
    })
    t.not(status, 0, name)
    t.notMatch(stdout, /secret|ran/, `${name}: ${stdout} ${stderr}`)
    t.notOk(existsSync(join(root, 'victim', 'planted')))
  }
})
