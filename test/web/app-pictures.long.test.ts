import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Page } from 'playwright-core'
import t from '#test'
import { visit, withBrowser } from '../support/browser.js'
import { aheadBy } from '../support/clock.js'
import { startScenes } from '../support/scenes.js'

const folder = 'test/pictures'
const isRenewed = process.env.RENEW_PICTURES === '1'
/** Folder for both pictures if they differ. */
const found = process.env.PICTURES ?? '.build/pictures'
/** Share of a picture that may differ: differences in font rendering between machines are below it, a moved row is above. */
const mostDifferent = 0.004
/** Initial time of the service and the pages; it advances. */
const beganMs = Date.parse('2026-06-01T14:00:00Z')
const onPhone = new Set(['start', 'approval', 'inbox'])

/**
 * Draws a picture at half its size in four bits for each colour, because small differences of letters do not matter, and compares it with
 * another one. Returns it as PNG in base64, the share of differing pixels, and the box around them.
 */
const drawn = (page: Page, taken: string, kept: string | null): Promise<{ png: string, share: number, box: number[] }> => page.evaluate(`(async () => {
  const read = async (base64) => await createImageBitmap(await (await fetch('data:image/png;base64,' + base64)).blob())
  const shot = await read(${JSON.stringify(taken)})
  const canvas = new OffscreenCanvas(shot.width / 2, shot.height / 2)
  const context = canvas.getContext('2d', { willReadFrequently: true })
  context.imageSmoothingQuality = 'high'
  context.drawImage(shot, 0, 0, canvas.width, canvas.height)
  const now = context.getImageData(0, 0, canvas.width, canvas.height)
  for (let at = 0; at < now.data.length; at++) now.data[at] = Math.round(now.data[at] / 17) * 17
  context.putImageData(now, 0, 0)
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer())
  const png = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  const kept = ${JSON.stringify(kept)}
  if (kept === null) return { png, share: 0, box: [] }
  const before = await read(kept)
  if (before.width !== canvas.width || before.height !== canvas.height) return { png, share: 1, box: [] }
  context.drawImage(before, 0, 0)
  const then = context.getImageData(0, 0, canvas.width, canvas.height)
  let count = 0
  const box = [Infinity, Infinity, 0, 0]
  for (let at = 0; at < now.data.length; at += 4) {
    if (Math.max(...[0, 1, 2].map((part) => Math.abs(now.data[at + part] - then.data[at + part]))) <= 51) continue
    const [x, y] = [at / 4 % canvas.width, Math.floor(at / 4 / canvas.width)]
    count++
    Object.assign(box, [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y)])
  }
  return { png, share: count / (canvas.width * canvas.height), box }
})()`)

/** Takes a picture once the page has stopped changing. */
async function atRest (page: Page): Promise<Buffer> {
  let before: Buffer | null = null
  for (;;) {
    const taken = await page.screenshot({ animations: 'disabled', caret: 'hide' })
    if (before !== null && taken.equals(before)) return taken
    before = taken
    await page.waitForTimeout(250)
  }
}

withBrowser(() => {
  t.test('screens look as they did when their pictures were kept', async (t) => {
    const aheadMs = beganMs - Date.now()
    const { service, scenes } = await startScenes(t, { clock: aheadBy(() => aheadMs) })
    const { page: desk } = await visit(t, 'about:blank')
    let worst = { name: 'none', share: 0 }
    for (const [device, size] of [['desk', { width: 1_280, height: 800 }], ['phone', { width: 390, height: 844, isPhone: true }]] as const) {
      for (const scene of scenes.filter(({ name, on = device }) => on === device && (device === 'desk' || onPhone.has(name)))) {
        const { page } = await visit(t, 'about:blank', size)
        await page.emulateMedia({ reducedMotion: 'reduce' })
        // A start that is shown for long on a busy machine counts as a visit, and the next one would say less.
        await page.route('**/api/home/seen', async (route) => await route.abort())
        await page.clock.setFixedTime(beganMs + 60_000)
        await page.goto(service.url + scene.path)
        await scene.act?.(page)
        // The typeface is loaded once the window has rested.
        while (!await page.evaluate<boolean>('[...document.fonts].some(({ family }) => family === "Inter")')) await page.waitForTimeout(50)
        // Hides what differs each time: folders, the port of the model, and when a file was written.
        await page.evaluate('for (const one of document.querySelectorAll(".memory-origin, .prompt-effects code, .provider")) one.style.visibility = "hidden"')
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          const name = `${scene.name}-${device}-${colorScheme}.png`
          const taken = await atRest(page)
          const file = join(folder, name)
          const kept = existsSync(file) && !isRenewed ? readFileSync(file).toString('base64') : null
          const { png, share, box } = await drawn(desk, taken.toString('base64'), kept)
          if (isRenewed) {
            mkdirSync(folder, { recursive: true })
            writeFileSync(file, Buffer.from(png, 'base64'))
            continue
          }
          if (share > worst.share) worst = { name, share }
          if (kept !== null && share <= mostDifferent) continue
          mkdirSync(found, { recursive: true })
          writeFileSync(join(found, name), taken)
          if (kept !== null) writeFileSync(join(found, name.replace('.png', '-before.png')), Buffer.from(kept, 'base64'))
          t.fail(kept === null ? `${name} is not kept yet` : `${name} differs by ${(share * 100).toFixed(2)} % within ${box.join(', ')}: see ${found}`)
        }
        await page.context().close()
      }
    }
    t.comment(`The worst: ${worst.name}, ${(worst.share * 100).toFixed(3)} % (${mostDifferent * 100} % are allowed)`)
  })
})
