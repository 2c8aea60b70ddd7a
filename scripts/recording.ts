// npm run recording [-- <file>]: records the tour of docs/tour.md as a film, with a scripted demo model and a pointer that shows each
// click. Needs /usr/bin/chromium and ffmpeg. Chromium delivers a picture for each change; ffmpeg turns them into a WebM.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { chromium, type CDPSession, type Locator, type Page } from 'playwright-core'
import { spawnServer } from '../test/support/server.js'

const file = resolve(process.argv[2] ?? 'tour.webm')
const program = '/usr/bin/chromium'
const size = { width: 1280, height: 720 }
const framesPerSecond = 10
/** Long enough to read what has changed. */
const readMs = 2_600

const undo: Array<() => unknown> = []
const folder = mkdtempSync(join(tmpdir(), 'recording-'))
try {
  await record()
} finally {
  for (const one of undo.toReversed()) await one()
  rmSync(folder, { recursive: true, force: true })
}

async function record (): Promise<void> {
  const server = await spawnServer({
    teardown: (callback) => undo.push(callback), fail: (message) => { throw new Error(message) }
  }, folder, { OFFLINE_DEMO_WORDS_PER_SECOND: '25' })
  const browser = await chromium.launch({ executablePath: program, args: ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars'] })
  undo.push(() => browser.close())
  const page = await (await browser.newContext({ viewport: size, locale: 'en-US' })).newPage()
  const frames = join(folder, 'frames')
  mkdirSync(frames)
  await page.goto(server.url)
  await page.getByText('Show me a change I approve').waitFor()
  const film = await startFilm(page, frames)
  await playTour(page)
  await writeFilm(await film.stop(), frames)
  console.log(`${file}: ${Math.round(film.lengthMs() / 1_000)} s`)
}

/** Does what a visitor who follows docs/tour.md does. */
async function playTour (page: Page): Promise<void> {
  await pause(readMs)
  await point(page, page.getByRole('button', { name: 'Show me a change I approve' }))
  for (const name of ['Create demo-list.md?', 'Edit demo-list.md?']) {
    await page.getByText(name).first().waitFor()
    await pause(readMs)
    await point(page, page.getByRole('button', { name: 'Allow once' }).first())
  }
  await page.getByRole('button', { name: 'Undo' }).first().waitFor()
  await pause(readMs)
  await point(page, page.getByRole('button', { name: 'Show files and changes' }))
  await pause(readMs)
  await send(page, 'Show me a question')
  await point(page, page.getByRole('button', { name: '30 days' }).first())
  await pause(2 * readMs)
  await send(page, 'Show me a task every morning')
  await point(page, page.getByRole('button', { name: 'Allow once' }).first())
  await pause(readMs)
  await point(page, page.getByRole('link', { name: 'Tasks' }).first())
  await pause(2 * readMs)
  await point(page, page.getByRole('link', { name: 'Home' }).first())
  await pause(2 * readMs)
}

async function send (page: Page, text: string): Promise<void> {
  const box = page.getByRole('textbox').last()
  await box.pressSequentially(text, { delay: 40 })
  await box.press('Enter')
}

/** Moves the pointer to the target, visibly, and clicks. */
async function point (page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  await target.scrollIntoViewIfNeeded()
  const box = await target.boundingBox()
  if (box === null) throw new Error('What is to be clicked is not shown')
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(x, y, { steps: 12 })
  await page.evaluate(`(() => {
    const ring = document.getElementById('recording') ?? document.body.appendChild(document.createElement('div'))
    ring.id = 'recording'
    Object.assign(ring.style, { position: 'fixed', zIndex: 9999, left: '${x - 16}px', top: '${y - 16}px', width: '32px', height: '32px',
      border: '3px solid #b87400', borderRadius: '50%', pointerEvents: 'none' })
  })()`)
  await pause(700)
  await page.evaluate('document.getElementById("recording")?.remove()')
  await target.click()
}

interface Frame { path: string, atMs: number }

/** Stores each picture that the browser shows, with its time. */
async function startFilm (page: Page, frames: string): Promise<{ stop: () => Promise<Frame[]>, lengthMs: () => number }> {
  const session: CDPSession = await page.context().newCDPSession(page)
  const kept: Frame[] = []
  session.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
    const path = join(frames, `${String(kept.length).padStart(5, '0')}.png`)
    writeFileSync(path, Buffer.from(data, 'base64'))
    kept.push({ path, atMs: (metadata.timestamp ?? 0) * 1_000 })
    void session.send('Page.screencastFrameAck', { sessionId })
  })
  await session.send('Page.startScreencast', { format: 'png', maxWidth: size.width, maxHeight: size.height })
  return {
    async stop () {
      await session.send('Page.stopScreencast')
      return kept
    },
    lengthMs: () => (kept.at(-1)?.atMs ?? 0) - (kept[0]?.atMs ?? 0)
  }
}

/** Makes a film of pictures with irregular times. */
async function writeFilm (kept: readonly Frame[], frames: string): Promise<void> {
  const list = join(frames, 'list.txt')
  const lines = kept.map(({ path, atMs }, at) => `file '${path}'\nduration ${(((kept[at + 1]?.atMs ?? atMs + readMs) - atMs) / 1_000).toFixed(3)}`)
  writeFileSync(list, `${lines.join('\n')}\n`)
  const made = spawn('ffmpeg', [
    '-y', '-loglevel', 'error', '-f', 'concat', '-safe', '0', '-i', list, '-vf', `fps=${framesPerSecond}`, '-c:v', 'libvpx-vp9', '-crf', '40', '-b:v', '0',
    '-deadline', 'good', '-cpu-used', '2', '-g', '300', '-tune-content', 'screen', '-row-mt', '1', '-pix_fmt', 'yuv420p', '-an', file
  ], { stdio: 'inherit' })
  const [code] = await once(made, 'close')
  if (code !== 0) throw new Error('ffmpeg failed')
}
