import { Readable } from 'node:stream'
import { extract } from 'tar-stream'
import t from '../../test/support/harness.js'
import { choicesFor, firstChoice } from '../src/skills/importing.js'
import { packed, tarOf } from '../src/skills/tar.js'

async function unpacked (archive: Blob): Promise<Record<string, string>> {
  const reading = extract()
  Readable.from(Buffer.from(await archive.arrayBuffer())).pipe(reading as unknown as NodeJS.WritableStream)
  const files: Record<string, string> = {}
  for await (const entry of reading) {
    const chunks: Buffer[] = []
    for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk)
    files[entry.header.name] = Buffer.concat(chunks).toString()
  }
  return files
}

const chosen = (path: string, content: string): File => {
  const file = new File([content], path.slice(path.lastIndexOf('/') + 1))
  return Object.defineProperty(file, 'webkitRelativePath', { value: path.includes('/') ? path : '' })
}

t.test('a chosen folder becomes an archive that every program reads', async (t) => {
  const long = `mine/references/${'long-name-'.repeat(20)}漢字.md`
  const files = [
    chosen('mine/SKILL.md', 'Do it.\n'), chosen('mine/empty', ''), chosen('mine/block', 'x'.repeat(512)), chosen(long, 'long'), chosen('mine/漢字.md', '漢字'),
    chosen('mine/.git/config', 'no'), chosen('mine/.DS_Store', 'no')
  ]
  t.same(await unpacked(tarOf(await packed(files))), { 'mine/SKILL.md': 'Do it.\n', 'mine/empty': '', 'mine/block': 'x'.repeat(512), [long]: 'long', 'mine/漢字.md': '漢字' })
  t.same(await unpacked(tarOf(await packed([chosen('anything.md', 'One text.')]))), { 'SKILL.md': 'One text.' }, 'a single file is the skill')
  for (let length = 80; length < 130; length++) {
    const path = `${'d'.repeat(length)}/x`
    t.same(Object.keys(await unpacked(tarOf([{ path, bytes: new Uint8Array(1) }]))), [path])
  }
})

t.test('no skill is replaced without being asked', async (t) => {
  const conflict = (same: boolean) => ({ path: 'a/SKILL.md', same })
  t.same([firstChoice({ conflict: null, problem: null }), firstChoice({ conflict: conflict(false), problem: null }), firstChoice({ conflict: conflict(true), problem: null }), firstChoice({ conflict: null, problem: 'no' })], ['take', 'ask', 'skip', 'skip'])
  t.same(choicesFor({ conflict: null, problem: null }), ['take', 'skip'])
  t.same(choicesFor({ conflict: conflict(false), problem: null }), ['ask', 'replace', 'keep_both', 'skip'])
})
