import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, renameSync, symlinkSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t from '#test'
import { start } from '../../support/app.js'
import { temporaryFolder } from '../../support/folder.js'
import { ask, closedBelow, layTraps, outsideName, outsideText, swap, unzip } from '../../support/workspace.js'

async function prepared (t: Parameters<typeof start>[0]) {
  const service = await start(t)
  const id = await service.newSession()
  const url = (path: string): string => `${service.url}/api/folder/download?${new URLSearchParams({ session_id: id, path }).toString()}`
  return {
    ...service,
    id,
    url,
    write: (path: string, content: string | Buffer = '') => {
      mkdirSync(join(service.workspace, path, '..'), { recursive: true })
      writeFileSync(join(service.workspace, path), content)
    },
    refused: async (path: string) => await service.get(url(path).slice(service.url.length)),
    async download (path: string) {
      const answer = await fetch(url(path))
      const bytes = Buffer.from(await answer.arrayBuffer())
      return { answer, bytes, files: await unzip(bytes) }
    }
  }
}

t.test('a folder is downloaded with everything in it', async (t) => {
  const { write, workspace, download, url } = await prepared(t)
  const random = Buffer.from(Array.from({ length: 300_000 }, () => Math.floor(Math.random() * 256)))
  write('project/a.txt', 'one\n')
  write('project/deep/er/b.bin', random)
  write('project/漢字/é 👩‍🚀.txt', 'names')
  write('project/nothing.txt')
  write('other.txt', 'not in it')
  mkdirSync(join(workspace, 'project', 'empty'))
  const { answer, files } = await download('project')
  t.equal(answer.status, 200)
  t.match(Object.fromEntries(answer.headers), { 'content-type': 'application/zip', 'content-disposition': 'attachment; filename="project.zip"', connection: 'close' })
  t.equal(answer.headers.get('content-length'), null)
  t.equal(answer.headers.get('content-encoding'), null)
  t.same([...files.keys()].sort(), ['a.txt', 'deep/', 'deep/er/', 'deep/er/b.bin', 'empty/', 'nothing.txt', '漢字/', '漢字/é 👩‍🚀.txt'])
  t.equal(files.get('a.txt')!.toString(), 'one\n')
  t.ok(files.get('deep/er/b.bin')!.equals(random))
  const whole = await download('.')
  t.ok(whole.files.has('other.txt') && whole.files.has('project/a.txt'))
  t.match(whole.answer.headers.get('content-disposition'), 'attachment; filename="workspace.zip"')
  const head = await fetch(url('project'), { method: 'HEAD' })
  t.equal(head.status, 200)
  t.equal(head.headers.get('content-type'), 'application/zip')
})

t.test('other programs unpack it', { skip: process.env['CI'] !== 'true' && spawnSync('unzip', ['-v']).status !== 0 && 'unzip is not installed' }, async (t) => {
  const { write, download, workspace } = await prepared(t)
  write('a.txt', 'one')
  write('run.sh', '#!/bin/sh\n')
  execFileSync('chmod', ['755', join(workspace, 'run.sh')])
  const folder = temporaryFolder(t, 'unzip')
  writeFileSync(join(folder, 'it.zip'), (await download('.')).bytes)
  execFileSync('unzip', ['-tqq', join(folder, 'it.zip')])
  t.match(execFileSync('unzip', ['-Z', join(folder, 'it.zip')]).toString(), /-rwxr-xr-x.*run\.sh/)
})

t.test('symlinks, what is no file, what was deleted and what is closed', async (t) => {
  const service = await prepared(t)
  const { write, workspace, download } = service
  layTraps(service)
  write('real.txt', 'inside')
  write('.agent-trash/gone.txt', 'deleted')
  write('sub/.agent-trash/kept.txt', 'only at the top does it mean the trash')
  symlinkSync('real.txt', join(workspace, 'to-file'))
  symlinkSync('sub', join(workspace, 'to-folder'))
  symlinkSync('.', join(workspace, 'sub', 'to-itself'))
  const { files } = await download('.')
  t.same([...files.keys()].sort(), ['real.txt', 'sub/', 'sub/.agent-trash/', 'sub/.agent-trash/kept.txt', 'sub/plain.txt', 'to-file'])
  t.equal(files.get('to-file')!.toString(), 'inside')
})

t.test('no name in the archive leads out of where it is unpacked', async (t) => {
  const { write, download, workspace } = await prepared(t)
  for (const name of ['..\\..\\evil.txt', '\\absolute', 'C:evil', 'new\nline', '...', '..name', 'a\\b', 'a_b']) write(`names/${name}`, name)
  writeFileSync(Buffer.concat([Buffer.from(`${workspace}/names/`), Buffer.from([0xff, 0xfe])]), 'bytes')
  const { files } = await download('names')
  t.same([...files.keys()].sort(), ['...', '..name', '.._.._evil.txt', 'C_evil', 'NOT INCLUDED.txt', '_absolute', 'a_b', 'new_line'].sort())
  t.match(files.get('NOT INCLUDED.txt')!.toString(), /a_b\n/, 'one of two that would be the same')
})

t.test('too much is refused before anything is sent', { long: true }, async (t) => {
  const { write, workspace, refused, folder } = await prepared(t)
  write('large/a.bin')
  truncateSync(join(workspace, 'large', 'a.bin'), 1024 * 1024 * 1024 + 1)
  t.match(await refused('large'), { status: 413, body: { error: 'folder too large', limit_bytes: 1024 * 1024 * 1024, configure: String } })
  mkdirSync(join(workspace, 'many', 'inner'), { recursive: true })
  for (let index = 0; index < 50_001; index++) writeFileSync(join(workspace, 'many', 'inner', String(index)), '')
  t.match(await refused('many'), { status: 413, body: { error: 'too many files', limit: 50_000, configure: String } })
  t.same(await closedBelow(folder), [])
})

t.test('what is no folder is not found', async (t) => {
  const { write, refused } = await prepared(t)
  write('a.txt')
  for (const path of ['a.txt', 'missing', '..']) t.equal((await refused(path)).status, 404, path)
})

t.test('files that change while it is made do not break it', { long: true }, async (t) => {
  const { write, workspace, url } = await prepared(t)
  for (let index = 0; index < 20; index++) write(`it/${String(index).padStart(2, '0')}.bin`, Buffer.from(Array.from({ length: 1_000_000 }, () => Math.floor(Math.random() * 256))))
  const response = await ask(url('it'))
  // The client reads nothing: the archive waits with the first files.
  await delay(200)
  unlinkSync(join(workspace, 'it', '19.bin'))
  truncateSync(join(workspace, 'it', '18.bin'), 10)
  renameSync(join(workspace, 'it', '17.bin'), join(workspace, 'it', '99.bin'))
  mkdirSync(join(workspace, 'it', '17.bin'))
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const files = await unzip(Buffer.concat(chunks))
  t.equal(files.get('00.bin')!.length, 1_000_000)
  t.equal(files.get('18.bin')!.length, 10)
  t.notOk(files.has('19.bin'))
  t.match(files.get('NOT INCLUDED.txt')!.toString(), /^17\.bin\n19\.bin$/m)
})

t.test('a client that goes away stops it', { long: true }, async (t) => {
  const { write, workspace, url, folder } = await prepared(t)
  write('it/large.bin')
  truncateSync(join(workspace, 'it', 'large.bin'), 900 * 1024 * 1024)
  for (let round = 0; round < 5; round++) {
    const response = await ask(url('it'))
    response.on('error', () => {})
    await delay(round * 20)
    response.destroy()
  }
  t.same(await closedBelow(folder), [])
})

t.test('exchanges for symlinks while it is made never bring in what is outside', { long: true }, async (t) => {
  const service = await prepared(t)
  const { workspace, write, download, folder } = service
  const outside = layTraps(service)
  mkdirSync(join(outside, 'deep'))
  writeFileSync(join(outside, 'deep', 'secret.txt'), outsideText)
  write('it/swapped/secret.txt', 'inside')
  write('it/swapped/deep/secret.txt', 'inside')
  write('it/swapped.txt', 'inside')
  const swaps = [swap(join(workspace, 'it', 'swapped'), outside, 5_000), swap(join(workspace, 'it', 'swapped.txt'), join(outside, 'secret.txt'), 5_000)]
  let downloads = 0
  const keepAsking = async (): Promise<void> => {
    while (!swaps.every(({ isOver }) => isOver())) {
      const { files, answer } = await download('it')
      t.equal(answer.status, 200)
      downloads++
      for (const [name, content] of files) if (name.includes(outsideName) || content.includes(outsideText)) t.fail(`${name} is from outside`)
    }
  }
  await Promise.all([keepAsking(), keepAsking(), ...swaps.map(({ over }) => over)])
  t.ok(downloads > 0, `${downloads} downloads`)
  t.same(await closedBelow(folder), [])
})
