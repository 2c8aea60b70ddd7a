import { strToU8, zipSync, type Zippable } from 'fflate'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { Unavailable } from '../../../services/ground/errors.js'
import { notebookText } from '../../../services/workspace/files/previews/notebook.js'
import { optional } from '../../../services/workspace/files/previews/unreadable.js'
import { start } from '../../support/app.js'

const service = await start(t)
const id = await service.newSession()

const show = async (name: string, content?: Uint8Array) => {
  if (content !== undefined) writeFileSync(join(service.workspace, name), content)
  return await service.get(`/api/file?${new URLSearchParams({ session_id: id, path: name }).toString()}`)
}
const archive = (parts: Record<string, string>, more: Zippable = {}): Uint8Array => zipSync({ ...Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])), ...more })
const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const relations = (list: Array<[id: string, kind: string, target: string]>): string => `${head}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${
  list.map(([id, kind, target]) => `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${kind}" Target="${target}"/>`).join('')}</Relationships>`
const types = (overrides: Array<[part: string, type: string]>): string => `${head}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${
  overrides.map(([part, type]) => `<Override PartName="${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`).join('')}</Types>`

const word = (body: string) => ({
  '[Content_Types].xml': types([['/word/document.xml', 'wordprocessingml.document.main']]),
  '_rels/.rels': relations([['rId1', 'officeDocument', 'word/document.xml']]),
  'word/document.xml': `${head}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`
})
const paragraph = (text: string): string => `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`

const workbook = (sheets: Array<[name: string, rows: string]>) => ({
  '[Content_Types].xml': types([['/xl/workbook.xml', 'spreadsheetml.sheet.main'], ...sheets.map((_, index): [string, string] => [`/xl/worksheets/sheet${index + 1}.xml`, 'spreadsheetml.worksheet'])]),
  '_rels/.rels': relations([['rId1', 'officeDocument', 'xl/workbook.xml']]),
  'xl/workbook.xml': `${head}<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>${
    sheets.map(([name], index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`).join('')}</sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': relations(sheets.map((_, index) => [`rId${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`])),
  ...Object.fromEntries(sheets.map(([, rows], index) => [`xl/worksheets/sheet${index + 1}.xml`, `${head}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`]))
})
const text = (place: string, value: string): string => `<c r="${place}" t="inlineStr"><is><t>${value}</t></is></c>`
const numeric = (place: string, value: number): string => `<c r="${place}"><v>${value}</v></c>`

const presentation = (slides: string[], order: number[]) => ({
  'ppt/presentation.xml': `${head}<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>${order.map((slide, index) => `<p:sldId id="${256 + index}" r:id="rId${slide}"/>`).join('')}</p:sldIdLst></p:presentation>`,
  'ppt/_rels/presentation.xml.rels': relations(slides.map((_, index) => [`rId${index + 1}`, 'slide', `slides/slide${index + 1}.xml`])),
  ...Object.fromEntries(slides.map((body, index) => [`ppt/slides/slide${index + 1}.xml`, `${head}<p:sld xmlns:a="a" xmlns:p="p">${body}</p:sld>`]))
})
const lines = (...texts: string[]): string => texts.map((text) => `<a:p>${text.split('|').map((run) => `<a:r><a:t>${run}</a:t></a:r>`).join('')}</a:p>`).join('')

t.test('a Word document is shown as its text', async (t) => {
  const bytes = archive(word(paragraph('First &amp; foremost') + paragraph('漢字 second')))
  const { status, body } = await show('letter.docx', bytes)
  t.equal(status, 200)
  t.match(body, { path: 'letter.docx', content: 'First & foremost\n\n漢字 second', size: bytes.length, lines: 3, is_binary: true, version: /^[\w-]{22}$/, preview: { kind: 'docx', truncated: false } })
  t.ok(Number.isInteger(body.mtime_ns))
})

t.test('a workbook is shown as its tables', async (t) => {
  const bytes = archive(workbook([
    ['Costs', `<row r="1">${text('A1', 'Item')}${text('B1', 'Price')}</row><row r="2">${text('A2', 'Tea')}${numeric('B2', 2.5)}</row><row r="4"><c r="A4" t="b"><v>1</v></c></row>`],
    ['Empty', '']
  ]))
  const { status, body } = await show('book.XLSX', bytes)
  t.equal(status, 200)
  t.same(body.preview, { kind: 'xlsx', truncated: false, sheets: [{ name: 'Costs', rows: [['Item', 'Price'], ['Tea', 2.5], [null, null], [true, null]] }, { name: 'Empty', rows: [] }] })
  t.equal(body.content, '# Costs\nItem\tPrice\nTea\t2.5\n\ntrue\n\n# Empty')
})

t.test('a large table is shown from its beginning', { long: true }, async (t) => {
  const rows = Array.from({ length: 3_000 }, (_, index) => `<row r="${index + 1}">${numeric(`A${index + 1}`, index)}</row>`).join('')
  const { body } = await show('long.xlsx', archive(workbook([['Long', rows]])))
  t.equal(body.preview.truncated, true)
  t.equal(body.preview.sheets[0].rows.length, 1_000)
})

t.test('a presentation is shown slide by slide, in the order they are shown', async (t) => {
  const { body } = await show('talk.pptx', archive(presentation([lines('Second| half', 'a &lt; b &#x6F22;'), lines('First'), ''], [2, 1, 3])))
  t.same(body.preview, { kind: 'pptx', truncated: false, slides: ['First', 'Second half\na < b 漢', ''] })
  t.equal(body.content, '# Slide 1\nFirst\n\n# Slide 2\nSecond half\na < b 漢\n\n# Slide 3')
})

t.test('a presentation that lists one slide again and again, or never closes its tags, takes no more than another one', async (t) => {
  const long = lines(Array.from({ length: 40_000 }, (_, index) => index.toString(36)).join(' '))
  const { body, status } = await show('again.pptx', archive(presentation([long], Array.from({ length: 600 }, () => 1))))
  t.equal(status, 200)
  t.equal(body.preview.truncated, true)
  t.ok(body.preview.slides.join('').length <= 1_000_000, 'all slides together have a limit')
  t.ok(body.preview.slides[0].startsWith('0 1 2 '))
  const open = (tag: string): string => `<${tag} `.repeat(600_000 / (tag.length + 2))
  for (const [part, tag] of [['ppt/slides/slide1.xml', 'a:t'], ['ppt/_rels/presentation.xml.rels', 'Relationship'], ['ppt/presentation.xml', 'p:sldId']] as const) {
    t.equal((await show('open.pptx', archive({ ...presentation([lines('One')], [1]), [part]: open(tag) }))).status, 200, part)
  }
})

t.test('a document with millions of words in one paragraph is cut', { long: true }, async (t) => {
  const words = (separator: string, chars: number): string => {
    const bytes = Buffer.alloc(chars, separator)
    for (let index = 0; index < chars; index += separator.length + 1) bytes[index] = 97 + (Math.imul(index, 2_654_435_761) >>> 11) % 26
    return bytes.toString()
  }
  for (const separator of [' ', '&#65;']) {
    const { status, body } = await show('words.odt', archive(odf(`<office:text><text:p>${words(separator, 24_000_000)}</text:p></office:text>`)))
    t.match({ status, truncated: body.preview?.truncated, length: body.content?.length }, { status: 200, truncated: true, length: 400_000 }, separator)
  }
  const coloured = { cell_type: 'code', source: 'x', outputs: [{ output_type: 'stream', text: '\u001b[mx'.repeat(500_000) }] }
  t.ok(notebookText(JSON.stringify({ cells: [coloured] })).length < 300_000, 'of a long output of a notebook, the beginning counts')
})

t.test('a document that cannot be read says so', async (t) => {
  const valid = archive(word(paragraph('text')))
  const broken: Array<[string, Uint8Array]> = [
    ['empty', new Uint8Array()], ['text', strToU8('This is no archive')], ['cut', valid.subarray(0, valid.length - 30)], ['cut early', valid.subarray(0, 100)],
    ['another archive', archive({ 'a.txt': 'x' })], ['no XML', archive({ ...word(''), 'word/document.xml': 'not XML <<<' })],
    ['old format', Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])]
  ]
  for (const [what, bytes] of broken) {
    for (const kind of ['docx', 'xlsx', 'pptx']) {
      const { status, body } = await show(`broken.${kind}`, bytes)
      t.match({ status, body }, { status: 404, body: { code: 'preview_failed', error: String } }, `${what} as ${kind}`)
    }
  }
})

/** Makes the archive's directory, which every reader uses, state another size for a file. */
function claiming (archive: Uint8Array, names: string[], sizeBytes: number): Buffer {
  const bytes = Buffer.from(archive)
  for (const name of names) bytes.writeUInt32LE(sizeBytes, bytes.lastIndexOf(name) - 46 + 24)
  return bytes
}

t.test('bombs are refused before they are unpacked', async (t) => {
  const noise = Uint8Array.from({ length: 200_000 }, (_, index) => Math.imul(index, 2_654_435_761) >>> 11)
  const media = Array.from({ length: 11 }, (_, index) => `word/media/picture-${index}.bin`)
  const mib = 1024 * 1024
  const bombs: Array<[string, Uint8Array, string]> = [
    ['by ratio', claiming(archive(word(''), { 'word/media/a.bin': new Uint8Array(1_000) }), ['word/media/a.bin'], 2 * mib), 'too_large'],
    ['by size of the text', claiming(archive(word(''), { 'word/large.xml': noise }), ['word/large.xml'], 33 * mib), 'too_large'],
    ['by size of all', claiming(archive(word(''), Object.fromEntries(media.map((name) => [name, noise]))), media, 40 * mib), 'too_large'],
    ['by number', archive(word(''), Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`word/${index}.xml`, [new Uint8Array(), { level: 0 }]]))), 'too_large'],
    ['that say less than there is', claiming(archive(word(paragraph('x'.repeat(500_000)))), ['word/document.xml'], 100), 'preview_failed']
  ]
  for (const [what, bytes, code] of bombs) t.match(await show('bomb.docx', bytes), { status: 404, body: { code } }, what)
  t.match(await show('far.xlsx', archive(workbook([['Far', `<row r="1048576">${numeric('XFD1048576', 1)}</row>`]]))), { status: 404, body: { code: 'too_large' } })
  writeFileSync(join(service.workspace, 'huge.docx'), '')
  truncateSync(join(service.workspace, 'huge.docx'), 20 * 1024 * 1024 + 1)
  t.match(await show('huge.docx'), { status: 404, body: { error: /^File too large \(20971521 bytes, max 20971520\)$/ } })
})

t.test('long texts are cut', { long: true }, async (t) => {
  const { body } = await show('long.docx', archive(word(paragraph('x'.repeat(399_999)) + paragraph('👩‍🚀'.repeat(10)))))
  t.equal(body.preview.truncated, true)
  t.ok(body.content.length <= 400_000)
})

t.test('what is not installed is named', { long: true }, async (t) => {
  const name = 'no-such-package'
  await t.rejects(optional(name, async () => await import(name) as unknown), new Unavailable(`Previews of this kind need the package ${name}, which is not installed with this service`, 'preview_unavailable'))
})

const odf = (body: string) => ({ 'content.xml': `${head}<office:document-content xmlns:office="o"><office:body>${body}</office:body></office:document-content>` })
const cellOf = (attributes: string, text = ''): string => `<table:table-cell ${attributes}>${text === '' ? '' : `<text:p>${text}</text:p>`}</table:table-cell>`

t.test('documents of LibreOffice are read, without what was deleted or remarked', async (t) => {
  const { status, body } = await show('letter.odt', archive(odf('<office:text><text:tracked-changes><text:p>gone</text:p></text:tracked-changes>' +
    '<text:h>Title &amp; more</text:h><text:p>A <text:span>bold<office:annotation><text:p>remark</text:p></office:annotation></text:span><text:s text:c="2"/>one<text:line-break/>two</text:p><text:p/>' +
    `<table:table><table:table-row>${cellOf('', 'a')}${cellOf('', 'b')}</table:table-row></table:table></office:text>`)))
  t.match({ status, body }, { status: 200, body: { content: 'Title & more\nA bold  one\ntwo\n\na\tb', preview: { kind: 'odt', truncated: false } } })
  const book = await show('book.ods', archive(odf(`<office:spreadsheet><table:table table:name="Costs &lt;1"><table:table-row>${cellOf('', 'Item')}${cellOf('', 'Price')}</table:table-row>` +
    `<table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="16384"/></table:table-row><table:table-row>${cellOf('', 'Tea')}${cellOf('office:value-type="float" office:value="2.5"', '2,50 €')}${cellOf('office:value-type="boolean" office:boolean-value="true"')}</table:table-row>` +
    '<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table></office:spreadsheet>')))
  t.same(book.body.preview, { kind: 'ods', truncated: false, sheets: [{ name: 'Costs <1', rows: [['Item', 'Price'], [], [], ['Tea', 2.5, true]] }] })
  const talk = await show('talk.odp', archive(odf('<office:presentation><draw:page><draw:frame><text:p>First</text:p></draw:frame><presentation:notes><text:p>say</text:p></presentation:notes></draw:page><draw:page/></office:presentation>')))
  t.match(talk.body, { content: '# Slide 1\nFirst\n\n# Slide 2', preview: { kind: 'odp', slides: ['First', ''] } })
  for (const kind of ['odt', 'ods', 'odp']) {
    for (const parts of [{ 'a.txt': '' }, { 'content.xml': '<<<' }, odf('<office:chart/>')]) t.match(await show(`broken.${kind}`, archive(parts)), { status: 404, body: { code: 'preview_failed' } })
  }
})

t.test('tables that repeat themselves fill no memory', async (t) => {
  const long = 'x'.repeat(100_000)
  const repeated = `<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="16384"><text:p>${long}</text:p></table:table-cell></table:table-row>`
  t.match(await show('wide.ods', archive(odf(`<office:spreadsheet><table:table>${repeated}</table:table></office:spreadsheet>`))), { status: 200, body: { preview: { truncated: true } } })
  t.match(await show('blank.odt', archive(odf(`<office:text><text:p>${'<text:s text:c="999999999"/>'.repeat(10_000)}</text:p></office:text>`))), { status: 200, body: { preview: { truncated: true } } })
  // One text that all cells of a workbook share.
  const shared = { ...workbook([['Wide', Array.from({ length: 500 }, (_, row) => `<row r="${row + 1}">${Array.from({ length: 26 }, (_, column) => `<c r="${String.fromCharCode(65 + column)}${row + 1}" t="s"><v>0</v></c>`).join('')}</row>`).join('')]]) }
  const strings = `${head}<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>${long}</t></si></sst>`
  const { status, body } = await show('shared.xlsx', archive({
    ...shared, 'xl/sharedStrings.xml': strings,
    'xl/_rels/workbook.xml.rels': relations([['rId1', 'worksheet', 'worksheets/sheet1.xml'], ['rId9', 'sharedStrings', 'sharedStrings.xml']]),
    '[Content_Types].xml': types([['/xl/workbook.xml', 'spreadsheetml.sheet.main'], ['/xl/worksheets/sheet1.xml', 'spreadsheetml.worksheet'], ['/xl/sharedStrings.xml', 'spreadsheetml.sharedStrings']])
  }))
  t.match({ status, preview: { truncated: body.preview?.truncated } }, { status: 200, preview: { truncated: true } })
  t.ok(JSON.stringify(body).length < 4_000_000)
})

t.test('documents have a text to be compared', async (t) => {
  const textAt = async (name: string, more = '') => await service.get(`/api/file/raw?${new URLSearchParams({ session_id: id, path: name, as: 'text' }).toString()}${more}`)
  await show('plain.docx', archive(word(paragraph('One') + paragraph('Two'))))
  const answer = await textAt('plain.docx')
  t.match(answer, { status: 200, text: 'One\n\nTwo' })
  t.match(Object.fromEntries(answer.headers), { 'content-type': /^text\/plain/, 'content-security-policy': /sandbox/, 'x-content-type-options': 'nosniff' })
  writeFileSync(join(service.workspace, 'steps.ipynb'), JSON.stringify({
    cells: [
      { cell_type: 'markdown', source: ['# Title\n', 'text'] },
      { cell_type: 'code', source: 'x = 1', execution_count: 4, outputs: [{ output_type: 'stream', text: ['\u001b[31mone\u001b[0m\n'] }, { output_type: 'display_data', data: { 'image/png': 'aGk=', 'text/plain': '<Figure>' } }, { output_type: 'error', ename: 'E', evalue: 'v' }] }, 7
    ]
  }))
  t.match(await textAt('steps.ipynb'), { status: 200, text: '# Cell 1, markdown\n# Title\ntext\n\n# Cell 2\nx = 1\n## Output\none\n<Figure>\n[image/png]\nE: v' })
  for (const broken of ['', 'x', '[]', '{"cells":1}', '{"worksheets":[]}']) {
    writeFileSync(join(service.workspace, 'broken.ipynb'), broken)
    t.match(await textAt('broken.ipynb'), { status: 404, body: { code: 'preview_failed' } }, broken)
  }
  writeFileSync(join(service.workspace, 'a.txt'), 'a')
  t.match(await textAt('a.txt'), { status: 400 })
  t.match(await textAt('plain.docx', '&as=html'), { status: 400 })
  t.match(await textAt('../plain.docx'), { status: 404 })
})
