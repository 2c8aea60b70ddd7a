import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserContext, type CDPSession, type Locator, type Page } from 'playwright-core'
import { noteShown, watchFrames, watchInput, whenShown, type Watched } from './app-page.js'
import { type Bench } from './context.js'
import { startEndpoint, startService } from './processes.js'
import { percentile } from './report.js'
import { seedSessions } from './seed.js'
import { newSession, post } from './wire.js'

interface Context extends Bench { url: string, browser: Browser }
interface Opened { page: Page, wire: CDPSession, requests: Array<{ path: string, bytes: number }> }

const program = '/usr/bin/chromium'
const flags = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'
]
const slowNetwork = { offline: false, latency: 400, downloadThroughput: 400_000 / 8, uploadThroughput: 400_000 / 8 }
/** How many times slower than it is the processor seems to be to a page, as on a cheap phone. */
const slowProcessor = 4
const tokensPerSecond = 100
const listed = 10_000

/** Measures the browser app as a person uses it, against its promises. */
export async function appRows (bench: Bench): Promise<void> {
  if (!existsSync(program)) return console.log(`  nothing: ${program} is missing`)
  await seedSessions(bench.home, listed - 1_001)
  const endpoint = await startEndpoint(tokensPerSecond)
  const service = await startService({ ...bench, modelUrl: endpoint.url })
  const browser = await chromium.launch({ executablePath: program, args: flags })
  try {
    const context = { ...bench, url: service.url, browser }
    await loadRows(context)
    await firstRows(context)
    await slowRows(context)
    await streamRows(context)
    await longRows(context)
    await listRows(context)
    await inputRows(context)
  } finally {
    await browser.close()
    await service.stop()
    endpoint.stop()
  }
}

async function open (context: BrowserContext): Promise<Opened> {
  const page = await context.newPage()
  const wire = await context.newCDPSession(page)
  await wire.send('Network.enable')
  const requests: Opened['requests'] = []
  const paths = new Map<string, { path: string, isKept: boolean }>()
  wire.on('Network.responseReceived', ({ requestId, response }) => {
    paths.set(requestId, {
      path: new URL(response.url).pathname, isKept: response.fromDiskCache === true || response.fromServiceWorker === true
    })
  })
  wire.on('Network.requestServedFromCache', ({ requestId }) => { paths.set(requestId, { path: '', isKept: true }) })
  wire.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const request = paths.get(requestId)
    // API answers are not part of the app.
    if (request !== undefined && !request.isKept && !request.path.startsWith('/api/')) {
      requests.push({ path: request.path, bytes: encodedDataLength })
    }
  })
  return { page, wire, requests }
}

const box = '#message'

/** What is below the box of the home screen: rows, or examples. */
const homeBody = '.start-section'
const lastMessage = 'Message 9.'

/** Measures what is loaded for a page until it shows `last`, and in the second after that. Only the home screen has promises. */
async function addLoaded (
  report: Context['report'], name: string, { page, requests }: Opened, url: string, last: Locator, isHome = true
): Promise<void> {
  await page.goto(url)
  await last.waitFor()
  await page.waitForTimeout(1_000)
  const bytes = requests.reduce((sum, request) => sum + request.bytes, 0)
  report.add({
    measure: `${name}: loaded, compressed with gzip`, value: bytes / 1_024, unit: 'KiB', note: 'without the shared worker',
    ...isHome ? { promise: { most: 90 } } : {}
  })
  report.add({ measure: `${name}: requests`, value: requests.length, unit: '', ...isHome ? { promise: { most: 4 } } : {} })
}

const gzipOnly = { extraHTTPHeaders: { 'accept-encoding': 'gzip' } }

/** Measures a service without a model: the card that connects one is loaded too. */
async function firstRows ({ home, entry, nodeOptions, browser, report }: Context): Promise<void> {
  const service = await startService({ home: join(home, 'first'), nodeOptions, ...(entry === undefined ? {} : { entry }) })
  const context = await browser.newContext(gzipOnly)
  try {
    const opened = await open(context)
    await addLoaded(
      report, 'app, first start with the card that connects a model', opened, `${service.url}/`, opened.page.locator('.setup-card')
    )
  } finally {
    await context.close()
    await service.stop()
  }
}

async function loadRows ({ browser, url, report, seeded }: Context): Promise<void> {
  const other = await browser.newContext(gzipOnly)
  const chat = await open(other)
  await addLoaded(report, 'app, cold, a chat', chat, `${url}/session/${seeded.short[0]}`, chat.page.getByText(lastMessage), false)
  await other.close()
  const context = await browser.newContext(gzipOnly)
  const cold = await open(context)
  await addLoaded(report, 'app, cold', cold, `${url}/`, cold.page.locator(homeBody))
  await cold.page.evaluate('navigator.serviceWorker.ready.then(() => null)')
  const warm = await open(context)
  await warm.page.goto(`${url}/`)
  await warm.page.locator(homeBody).waitFor()
  report.add({
    measure: 'app, warm: requests', value: warm.requests.length, unit: '', promise: { most: 2 },
    note: 'besides the page, which the service worker asks for'
  })
  await context.close()
}

async function slowRows ({ browser, url, report }: Context): Promise<void> {
  const context = await browser.newContext()
  for (const [name, most] of [['cold', 2_500], ['warm', 800]] as const) {
    const { page, wire } = await open(context)
    await wire.send('Network.emulateNetworkConditions', slowNetwork)
    await wire.send('Emulation.setCPUThrottlingRate', { rate: slowProcessor })
    await page.addInitScript(watchShift)
    await page.addInitScript(noteShown('box', `document.querySelector('${box}')`))
    await page.addInitScript(noteShown('app', "document.querySelector('.composer-bar button')"))
    await page.addInitScript(noteShown('body', `document.querySelector('${homeBody}')`))
    await page.goto(`${url}/`, { waitUntil: 'commit' })
    report.add({
      measure: `app, ${name}, 400 ms, 400 kbit/s, processor at a quarter: the box can be typed into`, value: await whenShown(page, 'box'),
      unit: 'ms', promise: { most }
    })
    report.add({ measure: `app, ${name}: … and a message can be sent`, value: await whenShown(page, 'app'), unit: 'ms' })
    report.add({ measure: `app, ${name}: … and what is below it is shown`, value: await whenShown(page, 'body'), unit: 'ms' })
    await page.waitForTimeout(2_000)
    report.add({
      measure: `app, ${name}: layout shift`, value: await page.evaluate<number>('window.shifted'), unit: '', promise: { most: 0.02 }
    })
    await wire.send('Network.emulateNetworkConditions', { ...slowNetwork, latency: 0, downloadThroughput: -1, uploadThroughput: -1 })
    await page.evaluate('navigator.serviceWorker.ready.then(() => null)')
    await page.close()
  }
  await context.close()
}

const watchShift = `window.shifted = 0
new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value }).observe({ type: 'layout-shift', buffered: true })`

async function streamRows ({ browser, url, report, quick }: Context): Promise<void> {
  const context = await browser.newContext()
  const { page, wire } = await open(context)
  const id = await newSession(url)
  await page.goto(`${url}/session/${id}`)
  await page.locator(box).waitFor()
  await wire.send('Emulation.setCPUThrottlingRate', { rate: slowProcessor })
  const words = (quick ? 4 : 10) * tokensPerSecond
  await post(`${url}/api/chat/start`, { session_id: id, message: `markdown=${words}` })
  await page.locator('.transcript pre').first().waitFor()
  const seen = await watchFrames(page, (quick ? 2 : 6) * 1_000)
  addFrames(report, `${tokensPerSecond} tokens/s of Markdown, processor at a quarter`, seen, 60)
  report.add({ measure: '… longest task', value: seen.longestTaskMs, unit: 'ms', promise: { most: 50 } })
  await context.close()
}

function addFrames (report: Context['report'], name: string, { framesPerSecond, worstFrameMs }: Watched, least: number): void {
  report.add({
    measure: `${name}: frames per second`, value: Math.round(framesPerSecond), unit: '/s', promise: { least },
    note: `longest time between two frames ${Math.round(worstFrameMs)} ms`
  })
}

async function longRows ({ browser, url, report, seeded }: Context): Promise<void> {
  const context = await browser.newContext()
  const { page } = await open(context)
  await page.goto(`${url}/`)
  await page.locator('.rail-row').first().waitFor()
  await page.evaluate(noteShown('last', "document.querySelector('.transcript')?.textContent.includes('Message 1999.')"))
  // As a link in the app does, without reloading the page.
  const startMs = await page.evaluate<number>(`(() => {
    const startMs = performance.now()
    history.pushState(null, '', '/session/${seeded.long}')
    return startMs
  })()`)
  report.add({
    measure: 'a session of 2,000 messages: opened', value: await whenShown(page, 'last') - startMs, unit: 'ms', promise: { most: 150 }
  })
  const topMs = performance.now()
  const scrolling = watchFrames(page, 2_000)
  const isThere = await page.evaluate<boolean>(`new Promise((resolve) => {
    const view = document.querySelector('.transcript')
    view.dispatchEvent(new WheelEvent('wheel', { deltaY: -100 }))
    const limit = performance.now() + 15_000
    const step = () => {
      view.scrollTop = 0
      if (view.textContent.includes('Message 0.')) resolve(true)
      else if (performance.now() > limit) resolve(false)
      else requestAnimationFrame(step)
    }
    step()
  })`)
  report.add({
    measure: '… its top reached', value: performance.now() - topMs, unit: 'ms', promise: { most: 2_000 },
    ...(isThere ? {} : { note: 'given up' })
  })
  addFrames(report, '… on the way there', await scrolling, 55)
  report.add({
    measure: '… elements in the page', value: await page.evaluate<number>('document.querySelectorAll("*").length'), unit: '',
    promise: { most: 5_000 }
  })
  await context.close()
}

async function listRows ({ browser, url, report }: Context): Promise<void> {
  const context = await browser.newContext()
  const { page } = await open(context)
  await page.goto(`${url}/`)
  await page.locator('.rail-row').first().waitFor()
  await page.evaluate(`{
    const step = () => {
      const list = document.querySelector('.rail-scroll')
      if (list !== null) list.scrollTop += 40
      document.querySelector('.rail-more')?.click()
      requestAnimationFrame(step)
    }
    step()
  }`)
  addFrames(report, `a list of ${listed.toLocaleString('en')} sessions, scrolled`, await watchFrames(page, 6_000), 58)
  report.add({
    measure: '… elements in the page', value: await page.evaluate<number>('document.querySelectorAll("*").length'), unit: '',
    promise: { most: 5_000 }
  })
  await context.close()
}

const clicks = 12

/** Measures the time from a click or a key to the next paint, on a slow processor, with a long conversation beside it. */
async function inputRows ({ browser, url, report, seeded }: Context): Promise<void> {
  const context = await browser.newContext()
  const { page, wire } = await open(context)
  await page.addInitScript(watchInput)
  await page.goto(`${url}/session/${seeded.long}`)
  await page.getByText('Message 1999.').waitFor()
  await wire.send('Emulation.setCPUThrottlingRate', { rate: slowProcessor })
  const rows = page.locator('a.rail-row')
  const lastOf = async (names: string[]): Promise<number[]> =>
    (await page.evaluate<Array<[name: string, ms: number]>>('window.inputs.splice(0)')).filter(([name]) => names.includes(name)).map(([, ms]) => ms)
  for (let index = 0; index < clicks; index++) {
    await rows.nth(index % 6).click()
    await page.waitForTimeout(500)
  }
  const clicked = await lastOf(['click', 'pointerup'])
  report.add({
    measure: 'click on a session → next paint, processor at a quarter, longest', value: Math.max(0, ...clicked), unit: 'ms',
    promise: { most: 200 }, note: `${clicks} clicks`
  })
  await page.goto(`${url}/session/${seeded.long}`)
  await page.getByText('Message 1999.').waitFor()
  await page.locator(box).click()
  await page.waitForTimeout(500)
  await lastOf([])
  const text = 'Please have a look at the notes, and tell me what is missing. '
  await page.locator(box).pressSequentially(text, { delay: 80 })
  await page.waitForTimeout(500)
  const typed = await lastOf(['keydown', 'keypress'])
  report.add({
    measure: 'key → next paint in a session of 2,000 messages, processor at a quarter, p98', value: percentile(typed, 0.98), unit: 'ms',
    promise: { most: 100 }, note: `${text.length} keys`
  })
  await context.close()
}
