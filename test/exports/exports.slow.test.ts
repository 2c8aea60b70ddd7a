import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import t, { type Test } from '#test'
import { Invalid } from '../../services/ground/errors.js'
import { exportFileName, inLanguage, sessionPage, sessionPageChunks, type PageOptions, type PageSession } from '../../services/areas/exports/index.js'
import { pageWords } from '../../services/ground/languages/index.js'
import { anyCharacter } from '../support/any-character.js'
import { tries } from '../support/tries.js'

const program = '/usr/bin/chromium'
const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']
const pixel = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC'
const startS = 1_760_000_000
const session: PageSession = { session_id: 's1', title: 'A talk', model: 'm-1', created_at: startS, updated_at: startS + 60, message_count: 2 }

const render = async (messages: unknown[], options: PageOptions = {}, more: Partial<PageSession> = {}) => Buffer.concat(await sessionPage({ ...session, ...more }, messages, options)).toString()
const says = (content: unknown, more: object = {}) => ({ role: 'assistant', content, timestamp: startS, ...more })
const asks = (content: unknown, more: object = {}) => ({ role: 'user', content, timestamp: startS, ...more })
const encode = (variables: unknown): string => Buffer.from(JSON.stringify(variables)).toString('base64')
const call = (id: string, name: string, args: unknown) => ({ id, type: 'function', function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) } })

const tags = new Set(('html head meta title style body header main article aside details summary h1 h2 h3 h4 h5 h6 p div span time bdi ul ol li dl dt dd a img pre code ' +
  'strong em s blockquote hr br table thead tbody tr th td section sup math semantics mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup munder mover munderover ' +
  'mmultiscripts mprescripts none mtable mtr mtd menclose').split(' '))
const attributes = new Set(('lang charset http-equiv content name class dir tabindex aria-label datetime href title rel src alt style start id data-said ' +
  'accent accentunder columnalign columnlines columnspacing depth display displaystyle fence form height largeop linebreak linethickness lspace mathbackground mathcolor mathsize mathvariant maxsize ' +
  'minsize movablelimits notation rowlines rowspacing rspace scriptlevel separator stretchy symmetric voffset width').split(' '))

/** Returns markup in the page that the page's own templates cannot have written; empty for a sound page. */
function foreignMarkup (page: string): string[] {
  const body = page.replace('<!doctype html>', '').replace(/<style>[^<]*<\/style>/, '')
  const found: string[] = []
  const text = body.replace(/<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"<>]*")*)>/g, (tag, _, name: string, list: string) => {
    const names = [...list.matchAll(/ ([a-z-]+)="([^"]*)"/g)]
    if (!tags.has(name) || names.some(([, attribute]) => !attributes.has(attribute!))) found.push(tag)
    for (const [, attribute, value] of names) {
      if (attribute === 'href' && !/^(?:https?:\/\/|mailto:|#t\d+-(?:note|ref)-\d+$)/i.test(value!)) found.push(tag)
      if (attribute === 'src' && !/^data:image\/(?:png|jpeg|gif|webp);base64,/i.test(value!)) found.push(tag)
      if (attribute === 'style' && !/^text-align:(?:left|right|center)$/.test(value!)) found.push(tag)
    }
    return ''
  })
  return [...found, ...text.match(/[<>].{0,60}/g) ?? []]
}

/** Returns how often other work runs while `work` runs, and the longest time that it waits. */
async function turnsDuring<T> (work: Promise<T>): Promise<{ result: T, turns: number, longestMs: number }> {
  const seen = { isDone: false, turns: 0, longestMs: 0 }
  const done = work.finally(() => { seen.isDone = true })
  let beforeMs = performance.now()
  while (!seen.isDone) {
    await nextTurn()
    const nowMs = performance.now()
    seen.turns++
    seen.longestMs = Math.max(seen.longestMs, nowMs - beforeMs)
    beforeMs = nowMs
  }
  return { result: await done, turns: seen.turns, longestMs: seen.longestMs }
}

t.test('file names are plain', async (t) => {
  const cases: Array<[string, string, 'json' | 'html', string]> = [
    ['svc', '20260301_ab12', 'json', 'svc-20260301_ab12.json'],
    ['Crème brûlée', 's1', 'html', 'Creme-brulee-s1.html'],
    ['a"; filename="b', 's1', 'html', 'a-filename-b-s1.html'],
    ['../../etc/passwd', '..\\x\r\ny', 'json', 'etc-passwd-x-y.json'],
    ['日本', '', 'json', 'session-export.json'],
    ['p'.repeat(500), 's'.repeat(500), 'html', `${'p'.repeat(80)}-${'s'.repeat(80)}.html`]
  ]
  for (const [prefix, id, extension, expected] of cases) t.equal(exportFileName(prefix, id, extension), expected)
  fc.assert(fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (prefix, id) => /^[A-Za-z0-9_][A-Za-z0-9._-]*\.json$/.test(exportFileName(prefix, id, 'json'))))
})

t.test('a palette: what is certainly a colour, a length or a font is taken', async (t) => {
  const taken = ['#fff', '#1234', '#A1B2C3', '#a1b2c3d4', 'red', 'transparent', 'rgb(1, 2, 3)', 'rgba(1,2,3,.5)', 'rgb(10% 20% 30% / 40%)', 'hsl(120deg 10% 20%)',
    'oklch(0.7 0.1 200 / none)', '12px', '1.5rem', '0', '1.6', '4px 8px', 'system-ui, sans-serif', '"SF Mono", Menlo, monospace', "'Segoe UI', Arial", ' #abc ']
  const dropped = ['', '#12', '#ggg', 'url(https://example.org/x)', 'url("data:,x")', 'red; background: url(x)', 'red}body{display:none', '</style><script>alert(1)</script>',
    'var(--x)', 'calc(1px + 2px)', 'expression(alert(1))', 'image-set("x" 1x)', 'rgb(1,2,3', 'rgb(a,b,c)', '\\72 ed', 'red/**/', '@import "x"', '"a\\"', '"a";b', 'red !important',
    '1px 2px 3px 4px 5px', 'x'.repeat(201), 'attr(href)', 'env(x)', 'red\u0000', 'ｒｅｄ']
  for (const value of taken) t.match(await render([], { palette: encode({ '--ground': value }) }), `:root { --ground: ${value.trim()}; }`, value)
  for (const value of dropped) t.equal((await render([], { palette: encode({ '--ground': value }) })).includes('@media screen'), false, value)
  for (const value of [1, null, true, ['red'], { toString: 'red' }]) t.equal((await render([], { palette: encode({ '--ground': value }) })).includes('@media screen'), false)
  for (const name of ['ground', '--', '--A', '--a b', '--a:red;--b', `--${'x'.repeat(41)}`, '--x}', '--é', '__proto__']) {
    t.equal((await render([], { palette: encode({ [name]: 'red' }) })).includes('@media screen'), false, name)
  }
})

t.test('a palette: aliases, either alphabet, unescaped plus signs, refusals', async (t) => {
  t.match(await render([], { palette: encode({ '--bg': '#111', '--muted': '#999', '--quiet': '#888' }) }), ':root { --bg: #111; --muted: #999; --quiet: #888; --ground: #111; }')
  const variables = { '--font': '"A?>?>~~ÿ"', '--ground': '#abc' }
  for (const palette of [encode(variables), encode(variables).replaceAll('+', ' '), encode(variables).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')]) {
    t.match(await render([], { palette }), '--ground: #abc;')
  }
  t.equal((await render([], { palette: ' ' })).includes('@media screen'), false)
  const many = (count: number) => encode(Object.fromEntries(Array.from({ length: count }, (_, index) => [`--v${index}`, 'red'])))
  t.match(await render([], { palette: many(64) }), '--v63: red;')
  for (const palette of [many(65), '***', 'e30*', encode([]), encode(null), encode('x'), encode(3), Buffer.from('{"a":').toString('base64'), 'A'.repeat(70_000)]) {
    await t.rejects(render([], { palette }), Invalid)
    t.throws(() => sessionPageChunks(session, [], { palette }), Invalid, 'before anything is written')
  }
  await t.rejects(render([], { palette: '***' }), { message: 'The palette must be a JSON object of CSS variables, encoded as base64.' })
  await t.rejects(render([], { palette: many(65) }), { message: 'A palette has at most 64 variables.' })
})

t.test('one file: policy, no script, nothing loaded', async (t) => {
  const page = await render([asks('Hello'), says('Hi')])
  t.match(page, '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'; img-src data:; base-uri \'none\'; form-action \'none\'">')
  t.match(page, '<meta name="referrer" content="no-referrer">')
  t.match(page, '<meta name="viewport" content="width=device-width, initial-scale=1">')
  t.notMatch(page, /<script|<link|@import|url\(|<iframe|<form/)
  t.same(foreignMarkup(page), [])
  t.match(await render([]), 'There are no messages in this conversation.')
  t.match(await render([{ role: 'system', content: 'x' }]), 'There are no messages')
})

t.test('themes', async (t) => {
  const device = await render([])
  t.match(device, 'color-scheme: light dark;')
  for (const theme of ['light', 'dark'] as const) {
    const page = await render([], { theme })
    t.match(page, `:root { color-scheme: ${theme}; }`)
    t.match(page, '@media print { :root { color-scheme: light; } }', 'paper is white')
  }
})

t.test('messages are read as the page is written', async (t) => {
  let read = 0
  function * messages () {
    for (let index = 0; index < 50; index++) {
      read++
      yield says('x'.repeat(20_000))
    }
  }
  const chunks = sessionPageChunks(session, messages())
  t.equal(read, 0)
  const first = await chunks.next()
  t.ok(read < 10, `${read} messages for the first chunk`)
  let page = String(first.value)
  for await (const chunk of chunks) page += chunk
  t.equal(read, 50)
  t.ok(page.endsWith('</html>\n'))
})

t.test('2,000 messages: others get their turn', { long: true }, async (t) => {
  const messages = Array.from({ length: 500 }, (_, index) => [
    asks(`Question ${index}`),
    says('I will look.', { tool_calls: [call(`c${index}`, 'read_file', { path: `src/${index}.ts` })] }),
    { role: 'tool', tool_call_id: `c${index}`, name: 'read_file', content: 'const a = 1\n'.repeat(200), timestamp: startS },
    says(`## Answer ${index}\n\nSome **bold** prose with [a link](https://example.org/${index}).\n\n- one\n- two\n\n\`\`\`ts\n${`const a: number = ${index}\n`.repeat(10)}\`\`\`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n`)
  ]).flat()
  await render([says('```ts\n1\n```')])
  const startedMs = performance.now()
  const { result, turns, longestMs } = await turnsDuring(render(messages))
  const tookMs = performance.now() - startedMs
  t.comment(`${Math.round(tookMs)} ms, ${turns} turns, longest wait ${Math.round(longestMs)} ms, ${result.length} characters`)
  t.equal(result.split('<article class="row ').length - 1, 2_000)
  t.ok(turns > tookMs / 40, `${turns} turns in ${tookMs} ms`)
  t.ok(longestMs < 5_000, `${longestMs} ms`)
})

t.test('texts that are made to take long', { long: true }, async (t) => {
  const evil = ['$a ', '$$a', '\\(a', '\\[=', '$x$ ', '$\\frac{a}{b}$ ', '[^1]', '[^1]: ', '*a ', '[', '![[', '`a', '> ', '- ', '&', '<a ', 'http://', 'www.a.com,', '~~a', '_a_', '|a', '\\', '[a](', 'a@', '"', '#', '\u001B[', '\n', '\n\n', ' ', '    ']
  const cases: Array<[string, unknown[]]> = [
    ...evil.map((piece): [string, unknown[]] => [`a long text of ${JSON.stringify(piece)}`, [says(piece.repeat(Math.ceil(250_000 / piece.length)))]]),
    ['deep quotations and lists', [says('> '.repeat(5_000) + 'x'), says(Array.from({ length: 600 }, (_, depth) => `${' '.repeat(2 * depth)}- x`).join('\n'))]],
    ['a very long fence', [says(`${'`'.repeat(60_000)}js\nx\n${'`'.repeat(60_000)}`)]],
    ['code that highlighting is slow for', ['js', 'kotlin', 'java', 'rust', 'c', 'php', 'cpp', 'ts'].map((language) => says(`\`\`\`${language}\n${'a'.repeat(49_000)}\n\`\`\``))],
    ['deep arguments', [says('', { tool_calls: [call('c', 'x', `${'['.repeat(100_000)}${']'.repeat(100_000)}`), call('d', 'y', `{"a":${'['.repeat(3_000)}${']'.repeat(3_000)}}`)] })]],
    ['a tool\'s terminal', [{ role: 'tool', content: '\u001B[31m'.repeat(200_000) }]],
    ['too many of everything', [asks(Array.from({ length: 50_000 }, () => ({ type: 'odd' })), { attachments: Array.from({ length: 50_000 }, () => 'x') }), says('', { tool_calls: Array.from({ length: 50_000 }, () => call('c', 'x', '')) })]]
  ]
  for (const [name, messages] of cases) {
    const startedMs = performance.now()
    const { result, longestMs } = await turnsDuring(render(messages))
    const tookMs = performance.now() - startedMs
    t.comment(`${name}: ${Math.round(tookMs)} ms, longest wait ${Math.round(longestMs)} ms`)
    t.ok(tookMs < 60_000, `${name}: ${tookMs} ms`)
    t.ok(longestMs < 10_000, `${name}: waited ${longestMs} ms`)
    t.ok(result.length < 30_000_000, `${name}: ${result.length} characters`)
    t.same(foreignMarkup(result).slice(0, 3), [], name)
  }
})

t.test('arguments that are nested deeply stay compact, whatever brackets their texts have', async (t) => {
  const deep = Array.from({ length: 400 }).reduce<unknown>((inner) => [']]]]', inner], 'x')
  const page = await render([says('', { tool_calls: [call('c', 'x', JSON.stringify(deep))] })])
  t.match(page, ']]]]')
  t.notMatch(page, / {100}/)
})

t.test('long texts: cut where Markdown allows it, shortened at a megabyte', { long: true }, async (t) => {
  const paragraphs = Array.from({ length: 900 }, (_, index) => `Paragraph **${index}** of a long answer, with some words.\n\n1. one\n\n   still one\n\n2. two`).join('\n\n')
  const page = await render([says(`${paragraphs}\n\n\`\`\`ts\n${'const a = 1\n\n# b\n'.repeat(2_000)}\`\`\`\n\nThe end.`)])
  t.equal(page.split('<strong>').length - 1, 900)
  t.equal(page.split('<ol>').length - 1, 900, 'no list is cut')
  t.equal(page.split('<pre ').length - 1, 1)
  t.match(page, '<p>The end.</p>')
  t.notMatch(page, 'Shortened')

  const long = await render([asks('y'.repeat(1_500_000)), says('fine')])
  t.equal(long.split('class="mark shortened"').length - 1, 1)
  t.ok(long.length < 1_100_000)
  t.match(long, 'fine')
})

t.test('formulas and footnotes are set as in the app, and code goes from left to right', async (t) => {
  const text = [
    'The sum $\\sum_{i=1}^n i$ costs $5 or $10, as \\(a_b\\) says[^1], and[^Two] [^1] and [^nobody].', '', '$$', '\\frac{a}{b}', '+ c', '$$', '', 'Not `$x$`, `[^1]`.', '', '```', '$$ [^1]', '[^1]: in code', '```', '',
    '[^1]: First, **bold**', 'goes on.', '', '    And on[^two].', '[^two]: Second', '', 'Behind them. $\\nosuchcommand$ $\\href{javascript:alert(1)}{x}$'
  ].join('\n')
  for (const filler of ['', 'word '.repeat(40).concat('\n\n').repeat(60)]) {
    const page = await render([says(filler + text), says('Another one[^1].\n\n[^1]: of its own')])
    t.same(foreignMarkup(page), [])
    t.equal(page.match(/<math /g)?.length, 3, page)
    t.match(page, /<div class="formula" tabindex="0"><math dir="ltr" display="block"/)
    t.match(page, /costs \$5 or \$10/)
    t.match(page, /says<sup id="t1-ref-1"><a href="#t1-note-1" aria-label="Footnote 1">1<\/a><\/sup>, and<sup id="t1-ref-2"/)
    t.match(page, /\[\^nobody\]/)
    t.match(page, /<li id="t1-note-1"><p>First, <strong>bold<\/strong>/)
    t.match(page, /And on<sup><a href="#t1-note-2"/)
    t.match(page, /<li id="t2-note-1"><p>of its own/)
    t.equal(page.match(/\[\^1\]:/g)?.length, 1, 'only in code')
    t.match(page, /<code dir="ltr">\$x\$<\/code>, <code dir="ltr">\[\^1\]<\/code>/)
    t.match(page, /<pre class="code" tabindex="0" dir="ltr">/)
    t.match(page, /<p>Behind them\. <code dir="ltr">/)
    t.equal(new Set(page.match(/ id="[^"]+"/g)).size, page.match(/ id="[^"]+"/g)?.length)
  }
})

t.test('the texts of the service are translated wherever a page is cut into pieces, and nothing that a message says', async (t) => {
  const typed = '<span data-said="you">You</span> und Größe'
  const page = await render([
    { role: 'user', content: typed, timestamp: 1_760_000_000 }, { role: 'assistant', content: 'Ja', timestamp: 1_760_000_010, _partial: true },
    { role: 'user', content: 'Gut', timestamp: 1_760_000_090 }
  ])
  const whole = inLanguage([Buffer.from(page)], pageWords.de).toString()
  t.match(whole, /<h2>Du<\/h2>[^]*<h2>Assistent<\/h2>[^]*Hier abgebrochen: Die Antwort ist unvollständig/)
  t.match(whole, '&lt;span data-said=&quot;you&quot;&gt;You&lt;/span&gt; und Größe')
  t.notMatch(whole, '<span data-said')
  t.same(whole.match(/(?<=<time[^>]*>)[^<]+/g)?.slice(-2), ['9. Okt. 2025 8:53', '8:54'], 'a day is said once, and a minute, too')
  for (const length of [1, 7, 64, 1_001]) {
    const bytes = Buffer.from(page)
    const pieces = Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) => bytes.subarray(at * length, (at + 1) * length))
    t.equal(Buffer.concat(inLanguage(pieces, pageWords.de)).toString(), whole, `pieces of ${length}`)
  }
})

t.test('no message, title or notice becomes markup', async (t) => {
  const sharp = fc.constantFrom('$', '$$', '\\(', '\\)', '\\text{', '\\href{javascript:x}{', '\\color{', '}', '[^1]', '[^1]: ', '<script>', '</script>', '"', "'", '<', '>', '&', '=', '`', '```', '```"><script>', '[', '](', ')', '![', '<!--', '-->', ']]>', '</style>', '</title>', '</pre>', '\n', '\n\n', ' ',
    'javascript:alert(1)', 'data:text/html,', 'https://a.b/', ' onerror=alert(1) ', '|', '|-|', '&lt;', '&#x3C;', '&#0;', '&quot;', '\u0000', '\u001B', '\u202E', '\uD800', '\uFFFE', '*', '_', '# ', '> ', '- ', '    ', '\\', '~~~')
  const text = fc.oneof(fc.array(sharp, { maxLength: 14 }).map((pieces) => pieces.join('')), fc.string({ unit: anyCharacter }))
  const address = fc.oneof(text, fc.tuple(fc.constantFrom('https://a.b/', 'data:image/png;base64,', 'mailto:'), text).map((pieces) => pieces.join('')))
  const link = fc.tuple(fc.constantFrom('[', '!['), text, fc.constantFrom('](', '](<'), address, fc.constantFrom(')', '>)', ' "', "')")).map((pieces) => pieces.join(''))
  const part = fc.oneof(text, link, fc.record({ type: fc.constantFrom('image_url', 'input_image'), image_url: fc.oneof(address, fc.record({ url: address })) }), fc.record({
    type: fc.oneof(fc.constantFrom('text', 'image', 'tool_use', 'tool_result', 'thinking'), text), text, name: text, input: fc.jsonValue(), content: text, tool_use_id: text
  }, { requiredKeys: [] }))
  const row = fc.record({
    role: fc.oneof(fc.constantFrom('user', 'assistant', 'tool', 'system'), text),
    content: fc.oneof(text, link, fc.array(part, { maxLength: 4 }), fc.jsonValue()),
    timestamp: fc.oneof(fc.double(), text),
    reasoning: text,
    name: text,
    tool_call_id: text,
    tool_calls: fc.array(fc.record({ id: text, function: fc.record({ name: text, arguments: fc.oneof(text, fc.jsonValue().map((value) => JSON.stringify(value))) }) }), { maxLength: 2 }),
    attachments: fc.array(fc.oneof(text, fc.record({ name: text })), { maxLength: 2 }),
    provider_details: text,
    provider_details_label: text,
    _usedModel: text,
    _source: text,
    _turnDuration: fc.double(),
    _error: fc.boolean(),
    _partial: fc.boolean(),
    _partial_tool_calls: fc.oneof(fc.jsonValue(), fc.array(fc.record({ name: text, args: fc.jsonValue(), done: fc.boolean(), snippet: text }), { maxLength: 2 }))
  }, { requiredKeys: ['role', 'content'] })
  const message = fc.oneof({ weight: 1, arbitrary: fc.jsonValue() }, { weight: 4, arbitrary: row })
  await fc.assert(fc.asyncProperty(fc.array(message, { maxLength: 4 }), text, text, async (messages, title, notice) => {
    const page = await render(messages, { notice }, { title, model: title, compression_anchor_summary: notice, compression_anchor_visible_idx: 0 })
    const found = foreignMarkup(page)
    if (found.length > 0) throw new Error(found.join('\n'))
    // eslint-disable-next-line no-control-regex
    if (/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]|\p{Cs}/u.test(page)) throw new Error('unprintable')
  }), { numRuns: tries(1_000), examples: [[[{ role: 'user', content: 'Hello', _source: '__proto__' }], '', '']] })
  await fc.assert(fc.asyncProperty(fc.dictionary(fc.oneof(text, fc.constantFrom('--ground', '--x')), text), async (variables) => {
    const page = await render([], { palette: encode(variables) })
    return foreignMarkup(page).length === 0 && page.split('</style>').length === 2
  }), { numRuns: tries(200) })
})

if (!existsSync(program) && process.env.CI !== 'true') t.comment(`${program} is missing: nothing is looked at in a browser`)
else inBrowser()

function inBrowser (): void {
  let browser: Browser
  t.before(async () => { browser = await chromium.launch({ executablePath: program, args: flags }) })
  t.teardown(() => browser?.close())

  /** Opens a page from a file; collects its requests and its errors. */
  async function look (t: Test, source: string, options: BrowserContextOptions = {}): Promise<{ page: Page, requests: string[], problems: string[] }> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
    t.teardown(() => context.close())
    const path = join(t.testdir(), 'page.html')
    writeFileSync(path, source)
    const page = await context.newPage()
    const requests: string[] = []
    const problems: string[] = []
    page.on('request', (request) => { if (!request.url().startsWith('file:') && !request.url().startsWith('data:image/')) requests.push(request.url()) })
    page.on('console', (message) => problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('dialog', (dialog) => { problems.push(dialog.message()); void dialog.dismiss() })
    await page.goto(pathToFileURL(path).href)
    return { page, requests, problems }
  }

  t.test('every kind of row', { long: true }, async (t) => {
    const messages = [
      { role: 'system', content: 'You are secret' },
      asks('Look at `this`\nplease', { attachments: ['a.txt', { name: 'b <i>.png', path: '/p' }, { path: '/x/c.md' }, { filename: 'd.md' }] }),
      says('I look.', { reasoning: 'Thinking hard', tool_calls: [call('c1', 'read_file', { path: 'src/a.ts', limit: 3 }), call('c2', 'run', 'no json'), call('c3', 'lost', {})] }),
      { role: 'tool', tool_call_id: 'c1', name: 'read_file', content: '\n\u001B[1mconst\u001B[0m a', duration: 0.5, timestamp: startS + 5 },
      { role: 'tool', tool_call_id: 'c2', name: 'run', content: '', is_error: true },
      says('# Done\n\n**bold** <b>no</b>\n\n```js\nconst a = "x"\n```\n\n```unknown\nplain <text>\n```', { _usedModel: 'big-2', _turnDuration: 75 }),
      asks([{ type: 'text', text: 'one' }, 'two', { type: 'image_url', image_url: { url: pixel } }, { type: 'image_url', image_url: { url: 'https://example.org/i.png' } }, { type: 'input_audio', name: 'voice' }]),
      says([{ type: 'thinking', thinking: 'Hmm' }, { type: 'text', text: 'Using it' }, { type: 'tool_use', id: 't1', name: 'grep', input: { pattern: 'x' } }]),
      asks([{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'found x' }] }]),
      says('Half an ans', { _partial: true, _partial_tool_calls: [{ name: 'half', args: { a: 1 }, done: true, snippet: 'half a result', tid: 'p1' }, { name: 'unfinished', args: {}, done: false }] }),
      asks('[Workspace::v1: /home/me/x]\nSteer', { _source: 'steer' }),
      says('**Rate limit:** wait', { _error: true, provider_details: 'HTTP 429', provider_details_label: 'Terminal state details' }),
      { role: 'tool', tool_call_id: 'nobody', name: 'orphan', content: 'alone' },
      { role: 'developer', content: 'other' },
      null,
      42
    ]
    const { page, requests, problems } = await look(t, await render(messages, {}, { title: 'A <b>title</b>', compression_anchor_summary: 'The *summary*', compression_anchor_visible_idx: 2 }))
    const rows = page.locator('main > *')
    t.equal(await page.title(), 'A <b>title</b>')
    t.equal(await page.locator('h1').innerText(), 'A <b>title</b>')
    t.match(await page.locator('.opening').innerText(), /m-1[^]*2 messages[^]*started 9 Oct 2025 8:53 UTC[^]*last changed/)
    t.match(await render(messages, { notice: '28 November 2026 · Read only' }), /<\/h1>\s*<p class="notice" dir="auto">28 November 2026 · Read only<\/p>\s*<\/header>/, 'a line below the title takes the place of all that')
    t.same(await page.locator('main h2').allInnerTexts(), ['You', 'Assistant', 'Tool', 'Tool', 'Tool', 'Assistant', 'You', 'Assistant', 'Tool', 'Assistant', 'Tool', 'Tool', 'You', 'Assistant', 'Tool', 'developer', 'Message', 'Message'])
    t.equal((await page.content()).includes('You are secret'), false)

    const user = rows.nth(0)
    t.match(await user.innerText(), 'Look at `this`\nplease')
    t.same(await user.locator('.attachments li').allInnerTexts(), ['a.txt', 'b <i>.png', 'c.md', 'd.md'])
    t.equal(await user.locator('time').getAttribute('datetime'), '2025-10-09T08:53:20.000Z')

    t.equal(await page.getByText('Thinking hard').isVisible(), false, 'reasoning is folded')
    await page.getByText('Reasoning', { exact: true }).first().click()
    t.equal(await page.getByText('Thinking hard').isVisible(), true)

    const card = rows.nth(2)
    t.match(await card.locator('summary').innerText(), /Tool\s*read_file\s*src\/a\.ts\s*0\.5 s\s*done/)
    t.equal(await card.locator('dl').isVisible(), false, 'cards are folded')
    await card.locator('summary').click()
    t.same(await card.locator('dt').allInnerTexts(), ['path', 'limit'])
    t.same(await card.locator('pre').allTextContents(), ['src/a.ts', '3', '\nconst a'])
    t.match(await rows.nth(3).textContent(), /run[^]*failed[^]*no json[^]*\(nothing\)/)
    t.match(await rows.nth(4).textContent(), /lost[^]*no result/)
    const divider = await page.evaluate('(({ previousElementSibling: before, nextElementSibling: after }) => [before.className, after.querySelector("h2").innerText])(document.querySelector(".divider"))')
    t.same(divider, ['row tool failed', 'Assistant'], 'the summary stands behind the tools of the last message that it tells of')
    t.equal(await page.locator('.divider em').textContent(), 'summary')

    const answer = page.locator('.row.assistant').nth(1)
    t.equal(await answer.locator('h3').innerText(), 'Done')
    t.match(await answer.innerText(), 'bold <b>no</b>')
    t.match(await answer.locator('header').innerText(), /big-2\s+1 min 15 s/)
    t.same(await answer.locator('pre').allTextContents(), ['const a = "x"\n', 'plain <text>\n'])
    t.equal(await answer.locator('.hljs-keyword').innerText(), 'const')
    t.equal(await answer.locator('.language').innerText(), 'JavaScript')

    const parts = page.locator('.row.user').nth(1)
    t.match(await parts.innerText(), /one\ntwo[^]*Image: https:\/\/example\.org\/i\.png[^]*Not shown here: input_audio voice/)
    t.equal(await page.evaluate('document.querySelector(".row.user img").naturalWidth'), 10)
    t.match(await page.locator('.row.tool', { hasText: 'grep' }).textContent(), 'found x')
    t.match(await page.locator('.row.assistant', { hasText: 'Half an ans' }).innerText(), 'Stopped here')
    t.match(await page.locator('.row.tool', { hasText: 'half' }).first().textContent(), 'half a result')
    t.match(await page.locator('.row.tool', { hasText: 'unfinished' }).textContent(), 'no result')
    const steer = await page.locator('.row.user').last().innerText()
    t.match(steer, /Steer\s+Added while working/)
    t.notMatch(steer, 'Workspace')
    const error = page.locator('.row.error')
    t.match(await error.innerText(), /Assistant[^]*Error[^]*Rate limit: wait[^]*Terminal state details/)
    t.match(await page.locator('.row.tool', { hasText: 'orphan' }).textContent(), 'alone')
    t.same(requests, [])
    t.same(problems, [])
  })

  t.test('hostile texts, wherever a text can be', async (t) => {
    const hostile = [
      '<script>window.caught = 1</script>', '<img src=x onerror="window.caught = 1">', '"><script>window.caught = 1</script>', "' onmouseover='window.caught = 1", '" autofocus onfocus="window.caught = 1" x="',
      '</title><script>window.caught = 1</script>', '</style><script>window.caught = 1</script>', '</pre></code></details><svg onload=window.caught=1>', '<!--><script>window.caught = 1</script>-->', '<![CDATA[<script>window.caught = 1</script>]]>',
      '[a](javascript:window.caught=1)', '[a](JaVaScRiPt:window.caught=1)', '[a](&#106;avascript:window.caught=1)', '[a](java\u0000script:window.caught=1)', '[a](\u0001javascript:window.caught=1)', '[a](<java\tscript:window.caught=1>)', '<javascript:window.caught=1>',
      '[a](vbscript:x)', '[a](data:text/html;base64,PHNjcmlwdD4=)', '[a](data:image/svg+xml;base64,PHN2Zz4=)', `[a](${pixel})`, '[a](file:///etc/passwd)', '[a](//example.org/x)', '[a](blob:x)', '[r]\n\n[r]: javascript:window.caught=1',
      '![a](https://example.org/track.png)', '![a](javascript:window.caught=1)', '![a](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+)', '[![a](https://example.org/i.png)](https://example.org/"onclick="x)', '![" onerror="window.caught=1](https://example.org/x)', '![x](data:image/png;base64,AA"onerror="window.caught=1)',
      '[a](https://example.org/ "title\\" onclick=\\"window.caught=1")', 'https://example.org/"onmouseover="window.caught=1', '<https://example.org/"><script>window.caught=1</script>>',
      '```"><script>window.caught=1</script>\nx\n```', '```js" onclick="window.caught=1\nx\n```', '```html\n<script>window.caught=1</script>\n```', '```__proto__\nx\n```', '```constructor\nx\n```', '    <script>window.caught=1</script>',
      '| <script>window.caught=1</script> |\n|---|\n| <img src=x onerror=window.caught=1> |', '# <script>window.caught=1</script>', '&lt;script&gt;window.caught=1&lt;/script&gt;', '&#60;script&#62;window.caught=1&#60;/script&#62;', '\u0000<\u0000script>window.caught=1', '<\u202Escript>window.caught=1</script>', '\uD800<script>window.caught=1</script>\uDC00', '+ADw-script+AD4-window.caught=1', '{{7*7}}',
      '<base href="https://example.org/">', '<meta http-equiv="refresh" content="0;url=https://example.org/">', '<link rel=stylesheet href=https://example.org/x.css>', '<iframe src=https://example.org></iframe>', '<form action=https://example.org><button>x</button></form>', '<style>@import "https://example.org/x"</style>', '<a href=javascript:window.caught=1>x</a>', '<math><mi xlink:href="javascript:window.caught=1">', '\r\n\r\n<script>window.caught=1</script>'
    ]
    const messages = hostile.flatMap((text) => [
      asks(text, { attachments: [text, { name: text }], _source: text }),
      says(text, { reasoning: text, _usedModel: text, provider_details: text, provider_details_label: text, _error: true, tool_calls: [call(text, text, text), call('json', text, { [text]: text, command: text })] }),
      { role: 'tool', tool_call_id: text, name: text, content: text },
      { role: text, content: text, timestamp: text },
      asks([{ type: 'image_url', image_url: { url: text } }, { type: 'image_url', image_url: { url: `data:image/png;base64,${text}` } }, { type: text, name: text }, { type: 'tool_result', tool_use_id: text, name: text, content: text }])
    ])
    const title = hostile.join(' ').slice(0, 499)
    const source = await render(messages, { notice: hostile.join('\n'), palette: encode(Object.fromEntries(hostile.map((text, index) => [index % 2 === 0 ? '--ground' : text, text]))) },
      { title, model: hostile[2], compression_anchor_summary: hostile.join('\n\n'), compression_anchor_visible_idx: 3 })
    t.same(foreignMarkup(source), [])
    // Without its policy, because the page must be harmless by itself.
    const { page, requests, problems } = await look(t, source.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, ''))
    await page.evaluate('document.querySelectorAll("details").forEach((details) => { details.open = true })')
    t.same(await page.evaluate(`({
      caught: window.caught ?? null,
      elements: document.querySelectorAll('script, iframe, object, embed, form, input, button, link, base, svg, math, video, audio, template, meta[http-equiv]').length,
      handlers: [...document.querySelectorAll('*')].flatMap((element) => element.getAttributeNames()).filter((name) => name.startsWith('on') || name.startsWith('xlink')),
      links: [...document.querySelectorAll('a')].filter((a) => !['http:', 'https:', 'mailto:'].includes(a.protocol) || a.rel !== 'noopener noreferrer').map((a) => a.outerHTML),
      nested: document.querySelectorAll('a a').length,
      images: [...document.images].filter((image) => !image.src.startsWith('data:image/png;base64,')).map((image) => image.outerHTML),
      sources: [...document.querySelectorAll('[src]:not(img), [srcset], [background], [poster], [ping]')].length,
      styles: document.styleSheets.length
    })`), { caught: null, elements: 0, handlers: [], links: [], nested: 0, images: [], sources: 0, styles: 1 })
    for (const link of await page.locator('a').all()) t.equal(await link.getAttribute('rel'), 'noopener noreferrer')
    t.same(requests, [])
    t.same(problems, [])
    t.equal((await page.locator('h1').innerText()).includes('<script>window.caught = 1</script>'), true, 'shown as it was written')
  })

  t.test('it fits phones and screens, in the light and in the dark', { long: true }, async (t) => {
    const messages = [
      asks(`${'w'.repeat(3_000)} مرحبا`, { attachments: ['n'.repeat(300)] }),
      says(`${'x'.repeat(3_000)}\n\n\`\`\`js\n${'y'.repeat(400)}\n\`\`\`\n\n\`\`\`\n${'z'.repeat(5_000)}\n\`\`\`\n\n|${' long cell |'.repeat(30)}\n|${'---|'.repeat(30)}\n|${' 1 |'.repeat(30)}\n\nhttps://example.org/${'u'.repeat(500)}`,
        { tool_calls: [call('c', 'n'.repeat(200), { ['k'.repeat(200)]: 'v'.repeat(3_000) })], _usedModel: 'm'.repeat(200) }),
      { role: 'tool', tool_call_id: 'c', content: 'r'.repeat(3_000) }
    ]
    const source = await render(messages, { notice: 'n'.repeat(500) }, { title: 't'.repeat(400), compression_anchor_summary: 's'.repeat(500) })
    for (const width of [1280, 390, 320]) {
      const { page } = await look(t, source, { viewport: { width, height: 800 } })
      await page.evaluate('document.querySelectorAll("details").forEach((details) => { details.open = true })')
      t.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
    }
    const ground = (page: Page) => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const short = [asks('Hello'), says('Hi')]
    const cases: Array<[PageOptions, 'light' | 'dark', string]> = [
      [{}, 'light', 'rgb(251, 250, 247)'], [{}, 'dark', 'rgb(26, 25, 23)'], [{ theme: 'light' }, 'dark', 'rgb(251, 250, 247)'], [{ theme: 'dark' }, 'light', 'rgb(26, 25, 23)'],
      [{ theme: 'dark', palette: encode({ '--bg': '#010203' }) }, 'light', 'rgb(1, 2, 3)'], [{ palette: encode({ '--ground': 'hsl(0 100% 50%)' }) }, 'dark', 'rgb(255, 0, 0)']
    ]
    for (const [options, colorScheme, expected] of cases) {
      const { page, problems } = await look(t, await render(short, options), { colorScheme })
      t.equal(await ground(page), expected, JSON.stringify(options))
      await page.emulateMedia({ media: 'print', colorScheme })
      t.equal(await page.evaluate('getComputedStyle(document.body).color'), 'rgb(30, 28, 25)', 'paper is white')
      t.same(problems, [])
    }
  })
}
