import fc from 'fast-check'
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { DomainError } from '../../../services/ground/errors.js'
import { extractArchive } from '../../../services/workspace/files/extract-task.js'
import { previewOffice } from '../../../services/workspace/files/previews/preview-task.js'
import { tarOf, zipOf, type TarMember, type ZipMember } from '../../../test/support/archives.js'
import { type Part } from './part.js'

const capBytes = 1024 * 1024
const part = fc.constantFrom('a', 'b', 'A', 'é', 'e\u0301', '..', '.', '', '.git', '.GIT', 'config', '.agent-trash', 'c:', 'n'.repeat(256), ' ', '\u202etxt', 'a\\b', '\0', '\n')
const path = fc.tuple(fc.constantFrom('', '', '/', './', '../', '//', 'C:/'), fc.array(part, { minLength: 1, maxLength: 5 })).map(([start, parts]) => start + parts.join('/'))
const content = fc.oneof(fc.string({ maxLength: 40 }), fc.constantFrom('', '0'.repeat(200_000), '0'.repeat(1_200_000)))
const impossible = fc.constantFrom(0, 1, 5, 2 ** 31, 2 ** 32 - 1)
const zipMember: fc.Arbitrary<ZipMember> = fc.record({
  name: path,
  content,
  mode: fc.constantFrom(0o100644, 0o100755, 0o104755, 0o120777, 0o040755, 0o060644, 0o010644, 0),
  deflate: fc.boolean(),
  says: fc.record({
    size: impossible, packed: impossible, flags: fc.constantFrom(0, 1, 8, 0x2000), method: fc.constantFrom(0, 8, 12, 99), localName: path,
    offset: impossible, crc: impossible
  }, { requiredKeys: [] })
}, { requiredKeys: ['name'] })
const tarMember: fc.Arbitrary<TarMember> = fc.record({
  name: path.map((name) => name.replaceAll('\0', '') || 'a'), content, mode: fc.constantFrom(0o644, 0o4755, 0o777), linkname: fc.constantFrom('/etc/passwd', '../..', 'a'),
  type: fc.constantFrom('file', 'file', 'file', 'symlink', 'link', 'directory', 'fifo', 'character-device')
}, { requiredKeys: ['name'] })
/** Damage to an archive: some bytes replaced, or its end cut off. */
const damage = fc.record({
  at: fc.nat(),
  byte: fc.nat({ max: 255 }),
  cut: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat() }),
  isDone: fc.boolean()
})

interface Damage { at: number, byte: number, cut: number | null, isDone: boolean }

function damaged (bytes: Buffer, { at, byte, cut, isDone }: Damage): Buffer {
  if (!isDone || bytes.length === 0) return bytes
  const copy = Buffer.from(bytes)
  copy[at % copy.length] = byte
  return cut === null ? copy : copy.subarray(0, cut % copy.length)
}

/** Returns everything below a folder, with its kind, size and mode. */
function contents (folder: string): Array<{ path: string, isPlain: boolean, sizeBytes: number, mode: number }> {
  return readdirSync(folder, { recursive: true }).map(String).map((path) => {
    const stats = lstatSync(join(folder, path))
    return { path, isPlain: stats.isFile() || stats.isDirectory(), sizeBytes: stats.isFile() ? stats.size : 0, mode: stats.mode }
  })
}

/** Whether an archive is either unpacked into one new folder of plain files, or refused without a trace. */
async function isTame (scratch: string, bytes: Buffer): Promise<boolean> {
  const root = mkdtempSync(join(scratch, 'archives-'))
  try {
    mkdirSync(join(root, 'territory'))
    writeFileSync(join(root, 'territory', 'kept.txt'), 'kept')
    writeFileSync(join(root, 'arrival'), bytes)
    const before = contents(root).map(({ path }) => path)
    const isUnpacked = await extractArchive({
      territory: { root: join(root, 'territory'), closed: [] }, folder: '.', source: { arrival: join(root, 'arrival') }, name: 'new', temporary: '.agent-0123456789abcdef.tmp', isAgain: false, capBytes, abandonedBeforeMs: 0
    }).then(() => true, (error: unknown) => {
      if (error instanceof DomainError) return false
      throw error
    })
    const after = contents(root).filter(({ path }) => !before.includes(path))
    if (!isUnpacked) return after.length === 0
    const sizeBytes = after.reduce((sum, each) => sum + each.sizeBytes, 0)
    return sizeBytes <= capBytes && after.every((each) => each.isPlain && (each.mode & 0o7000) === 0 && /^territory\/new(?:\/|$)/.test(each.path) && !/(?:^|\/)\.git(?:\/|$)/i.test(each.path))
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

export const archives: Part = {
  name: 'archives',
  says: 'an archive becomes one new folder of plain files, or is refused without a trace',
  properties: (scratch) => [
    ['a zip file', fc.asyncProperty(fc.array(zipMember, { maxLength: 6 }), damage, async (members, change) => await isTame(scratch, damaged(zipOf(members), change)))],
    ['a tar file', fc.asyncProperty(fc.array(tarMember, { maxLength: 6 }), damage, fc.boolean(), async (members, change, isZipped) => {
      const bytes = await tarOf(members)
      return await isTame(scratch, damaged(isZipped ? gzipSync(bytes) : bytes, change))
    })]
  ]
}

const xml = fc.array(fc.constantFrom(
  '<?xml version="1.0"?>', '<!DOCTYPE a [<!ENTITY b "cccc"><!ENTITY d "&b;&b;&b;">]>', '<!ENTITY x SYSTEM "file:///etc/passwd">', '&d;', '&x;', '&#0;', '&#xD800;', '<w:document>', '</w:document>', '<w:body>', '<w:p>', '<w:r>', '<w:t>', 'text', '</w:t>', '</w:r>', '</w:p>',
  '</w:body>', '<worksheet>', '<sheetData>', '<row r="1">', '<row r="999999999">', '<c r="A1" t="s">', '<c r="XFD1048576">', '<v>', '0', '1e999', '-1', '</v>', '</c>', '</row>', '</sheetData>', '</worksheet>', '<sst>', '<si>', '</si>', '</sst>',
  '<sheets>', '<sheet name="A" sheetId="1" r:id="rId1"/>', '</sheets>', '<workbook>', '</workbook>', '<Relationships>', '<Relationship Id="rId1" Target="../../../etc/passwd"/>', '<Relationship Id="rId1" Target="worksheets/sheet1.xml"/>', '</Relationships>', '<p:sld>', '<a:t>', '</a:t>', '<![CDATA[', ']]>', '<!--', '-->', '<', '>', '"'
), { maxLength: 30 }).map((pieces) => pieces.join(''))
const officePart = fc.constantFrom(
  '[Content_Types].xml', '_rels/.rels', 'word/document.xml', 'word/_rels/document.xml.rels', 'xl/workbook.xml', 'xl/_rels/workbook.xml.rels', 'xl/worksheets/sheet1.xml', 'xl/sharedStrings.xml', 'xl/styles.xml', 'ppt/presentation.xml', 'ppt/slides/slide1.xml', '../a.xml', 'word/document.xml'
)

export const office: Part = {
  name: 'office',
  says: 'an office file is read as bounded text, or reported as unreadable',
  properties: (scratch) => [
    ['a document of any parts', fc.asyncProperty(fc.array(fc.record({ name: officePart, content: xml }), { maxLength: 6 }), fc.constantFrom('docx', 'xlsx', 'pptx'), damage, async (members, kind, change) => {
      const root = mkdtempSync(join(scratch, 'office-'))
      try {
        writeFileSync(join(root, `a.${kind}`), damaged(zipOf(members), change))
        const { content } = await previewOffice({ territory: { root, closed: [] }, path: `a.${kind}` })
        return typeof content === 'string' && content.length <= 400_000 && !content.includes('root:x:')
      } catch (error) {
        if (error instanceof DomainError) return true
        throw error
      } finally {
        rmSync(root, { recursive: true, force: true })
      }
    })]
  ]
}
