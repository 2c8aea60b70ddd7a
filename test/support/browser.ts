import { existsSync } from 'node:fs'
import { chromium, firefox, type Browser, type BrowserType, type Page } from 'playwright-core'
import t, { type Test } from '#test'

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']

/** Browsers as Debian has them; Firefox is driven by WebDriver BiDi. */
const programs = {
  chromium: { path: '/usr/bin/chromium', launch: () => chromium.launch({ executablePath: '/usr/bin/chromium', args: flags }) },
  firefox: {
    path: '/usr/bin/firefox',
    launch: async () => {
      // Its person wants nothing to move, no notifications, and has a microphone, which hums.
      const firefoxUserPrefs = {
        'ui.prefersReducedMotion': 1, 'permissions.default.desktop-notification': 2, 'permissions.default.microphone': 1,
        'media.navigator.streams.fake': true, 'media.navigator.permission.disabled': true
      }
      const started = await firefox.launch({ executablePath: programs.firefox.path, channel: 'moz-firefox', firefoxUserPrefs })
      leaveMedia(firefox, started)
      return started
    }
  }
}
export type BrowserName = keyof typeof programs

/** A browser's view of the service, with everything that went wrong in it. */
export interface Visitor { page: Page, problems: string[] }

let browser: Browser | undefined
let program = ''

/** Runs what needs a browser, once it has been started; without one nothing is run, unless CI asks for everything. `TEST_BROWSER` names another. */
export function withBrowser (cases: () => void, name: BrowserName = process.env.TEST_BROWSER === 'firefox' ? 'firefox' : 'chromium'): void {
  const { path, launch } = programs[name]
  program = path
  t.before(async () => {
    if (existsSync(path)) browser = await launch()
  })
  t.teardown(() => browser?.close())
  if (!existsSync(path) && process.env.CI !== 'true') void t.test('browsers', { skip: `${path} is missing` }, () => {})
  else cases()
}

interface Session { send: (method: string, parameters: unknown) => Promise<unknown> }
/**
 * Playwright asks for media features whenever it opens a page, by a command that Firefox 153 does not know: it is answered in its place.
 * What a page is to look like in the dark is chosen in the app.
 */
function leaveMedia (type: BrowserType, started: Browser): void {
  const inside = type as unknown as { _connection: { toImpl: (one: Browser) => { _browserSession: Session } } }
  const session = Object.getPrototypeOf(inside._connection.toImpl(started)._browserSession) as Session
  const send = session.send
  session.send = async function (this: Session, method, parameters) {
    return method === 'emulation.setMediaFeaturesOverride' ? {} : await send.call(this, method, parameters)
  }
}

/** A device of its own: no cookie and no connection is shared with another. `isPhone`: it is touched. `locale`: what its person reads. */
export async function visit (t: Test, url: string, { width = 1280, height = 800, isPhone = false, locale = 'en-US' } = {}): Promise<Visitor> {
  if (browser === undefined) throw new Error(`${program} is missing`)
  const context = await browser.newContext({ viewport: { width, height }, hasTouch: isPhone, isMobile: isPhone, locale })
  t.teardown(() => context.close())
  return await open(await context.newPage(), url)
}

/** Opens another window of the same device. */
export async function open (page: Page, url: string): Promise<Visitor> {
  // The first request about a folder starts a worker thread, which takes time on a loaded machine.
  page.setDefaultTimeout(30_000)
  const problems: string[] = []
  page.on('console', (message) => { if (message.type() === 'error' || /content security policy/i.test(message.text())) problems.push(`${message.text()} ${message.location().url}`) })
  page.on('pageerror', (error) => problems.push(String(error)))
  await page.goto(url)
  return { page, problems }
}

/** Drops a text file that contains its name without the extension. */
export async function dropFile (page: Page, target: string, name: string): Promise<void> {
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([${JSON.stringify(name.replace(/\.\w+$/, ''))}], ${JSON.stringify(name)}, { type: 'text/plain' }))
    for (const type of ['dragenter', 'dragover', 'drop']) document.querySelector(${JSON.stringify(target)}).dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }))
  })()`)
}

const moving = "document.getAnimations().some((animation) => animation.playState === 'running' && animation.effect?.getComputedTiming().endTime !== Infinity)"

/** Resolves when nothing in the page moves or fades any more; what goes on for ever does not count. */
export async function still (page: Page): Promise<void> {
  while (await page.evaluate<boolean>(moving)) await page.waitForTimeout(20)
}
