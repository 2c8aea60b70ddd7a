import { execFileSync } from 'node:child_process'
import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { makeFolder } from '../../services/ground/database/unusable.js'
import { makeFolders, makeFoldersSync } from '../../services/ground/files/make-folders.js'
import { ensureWorkspace } from '../../services/workspace/place/folder.js'
import { temporaryFolder } from '../support/folder.js'

const ways: Record<string, (path: string) => Promise<void>> = { makeFolders, makeFoldersSync: async (path) => makeFoldersSync(path) }

for (const [name, make] of Object.entries(ways)) {
  t.test(`${name}: with those above it, or the reason why not`, async (t) => {
    const folder = temporaryFolder(t, 'made')
    await make(join(folder, 'a', 'b', 'c'))
    await make(join(folder, 'a', 'b'))
    t.ok(existsSync(join(folder, 'a', 'b', 'c')))
    symlinkSync(join(folder, 'a'), join(folder, 'link'))
    await make(join(folder, 'link'))
    await make(join(folder, 'link', 'd'))
    t.ok(existsSync(join(folder, 'a', 'd')))
    writeFileSync(join(folder, 'file'), '')
    symlinkSync(join(folder, 'nowhere'), join(folder, 'loose'))
    await t.rejects(make(join(folder, 'file')), { code: 'EEXIST' })
    await t.rejects(make(join(folder, 'file', 'x')), { code: 'ENOTDIR' })
    symlinkSync(join(folder, 'loop'), join(folder, 'loop'))
    for (const path of ['loose', 'loose/x']) await t.rejects(make(join(folder, path)), { code: 'ENOENT' }, path)
    for (const path of ['loop', 'loop/x']) await t.rejects(make(join(folder, path)), { code: 'ELOOP' }, path)
  })

  t.test(`${name}: where no folder can be made, it says so`, { skip: !existsSync('/proc/self') && 'there is no /proc' }, async (t) => {
    await t.rejects(make('/proc/x'), { code: 'ENOENT' })
    await t.rejects(make('/proc/x/y/z'), { code: 'ENOENT' })
  })
}

t.test('a folder behind a link that leads nowhere is explained', async (t) => {
  const folder = temporaryFolder(t, 'made')
  const loose = join(folder, 'loose')
  symlinkSync(join(folder, 'not-mounted'), loose)
  for (const path of [loose, join(loose, 'below')]) {
    t.throws(() => makeFolder(path), /has a link that leads nowhere, .*Mount a disk/)
    await t.rejects(ensureWorkspace(path, []), /has a link that leads nowhere/)
  }
  symlinkSync(join(folder, 'loop'), join(folder, 'loop'))
  t.throws(() => makeFolder(join(folder, 'loop')), /leads to itself/)
  await t.rejects(ensureWorkspace(join(folder, 'loop'), []), /leads to itself/)
  writeFileSync(join(folder, 'file'), '')
  t.throws(() => makeFolder(join(folder, 'file')), /a file where a folder should be/)
})

t.test('a service whose folder would be there says why it cannot start', { skip: !existsSync('/proc/self') && 'there is no /proc' }, async (t) => {
  for (const variables of [{ SVC_HOME: '/proc/x' }, { SVC_HOME: temporaryFolder(t, 'home'), SVC_WEBUI_DEFAULT_WORKSPACE: '/proc/x' }]) {
    const run = (): string => execFileSync(process.execPath, ['dist/server.js'], {
      env: { PATH: process.env.PATH, SVC_WEBUI_PORT: '0', ...variables }, timeout: 60_000, stdio: 'pipe'
    }).toString()
    t.throws(run, /\/proc\/x cannot be/, JSON.stringify(variables))
  }
})
