import { execFileSync } from 'node:child_process'
import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { makeFolders, makeFoldersSync } from '../../services/ground/files/make-folders.js'
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
    await t.rejects(make(join(folder, 'loose')), { code: 'EEXIST' })
    await t.rejects(make(join(folder, 'loose', 'x')), { code: /^(EEXIST|ENOENT)$/ })
  })

  t.test(`${name}: where no folder can be made, it says so`, { skip: !existsSync('/proc/self') && 'there is no /proc' }, async (t) => {
    await t.rejects(make('/proc/x'), { code: 'ENOENT' })
    await t.rejects(make('/proc/x/y/z'), { code: 'ENOENT' })
  })
}

t.test('a service whose folder would be there says why it cannot start', { skip: !existsSync('/proc/self') && 'there is no /proc' }, async (t) => {
  for (const variables of [{ SVC_HOME: '/proc/x' }, { SVC_HOME: temporaryFolder(t, 'home'), SVC_WEBUI_DEFAULT_WORKSPACE: '/proc/x' }]) {
    const run = (): string => execFileSync(process.execPath, ['dist/server.js'], {
      env: { PATH: process.env.PATH, SVC_WEBUI_PORT: '0', ...variables }, timeout: 60_000, stdio: 'pipe'
    }).toString()
    t.throws(run, /\/proc\/x cannot be/, JSON.stringify(variables))
  }
})
