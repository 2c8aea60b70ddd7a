import { existsSync } from 'node:fs'
import { chromium, type Browser, type Page } from 'playwright-core'
import t, { type Test } from '#test'

const program = '/usr/bin/chromium'
const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']

/** A browser's view of the service, with all errors in it. */
export interface Visitor { page: Page, problems: string[] }

let browser: Browser | undefined

/** Runs cases that need a browser, which is started first. Without one nothing runs, except on CI, where it fails. */
export function withBrowser (cases: () => void): void {
  t.before(async () => {
    if (existsSync(program)) browser = await chromium.launch({ executablePath: program, args: flags })
  })
  t.teardown(() => browser?.close())
  if (!existsSync(program) && process.env.CI !== 'true') void t.test('browsers', { skip: `${program} is missing` }, () => {})
  else cases()
}

/**
 * Opens the address on a device of its own, which shares no cookie and no connection with others. `isPhone`: it has a touch screen.
 * `locale`: the person's language.
 */
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
