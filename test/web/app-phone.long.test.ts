import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Page } from 'playwright-core'
import t from '#test'
import { answer, log, settled, visitApp } from '../support/app-page.js'
import { still, withBrowser } from '../support/browser.js'
import { startChat } from '../support/chat.js'
import { run } from '../support/page.js'

/**
 * Finds touch targets smaller than 44 by 44 pixels, measured by what a finger hits around the centre: padding, pseudo-elements and labels
 * count. Ignores links and buttons within a text, because a line of text has its height, and what is covered by something else.
 */
const small = `(() => {
  const all = document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=tab], [role=menuitem], [role=option], [role=treeitem]')
  const meets = (element, x, y) => {
    const hit = document.elementFromPoint(x, y)
    return hit !== null && (element.contains(hit) || hit.closest('label')?.control === element)
  }
  const isInText = (element, { display }) => display === 'inline' && element.parentElement.innerText.trim().length > element.innerText.trim().length
  const found = []
  for (const element of all) {
    const style = getComputedStyle(element)
    if (element.disabled || element.closest('[inert]') !== null || style.visibility === 'hidden' || isInText(element, style)) continue
    element.scrollIntoView({ block: 'center', inline: 'center' })
    const { left, top, width, height } = element.getBoundingClientRect()
    const [x, y] = [left + width / 2, top + height / 2]
    if (width === 0 || height === 0 || !meets(element, x, y)) continue
    const reach = (dx, dy) => { let steps = 0; while (steps < 44 && meets(element, x + dx * (steps + 1), y + dy * (steps + 1))) steps++; return steps }
    const size = [reach(-1, 0) + reach(1, 0) + 1, reach(0, -1) + reach(0, 1) + 1]
    // Half a pixel may belong to the neighbour.
    if (Math.min(...size) < 43) found.push(size.join(' x ') + ': ' + element.tagName.toLowerCase() + '.' + element.className + ' ' + (element.getAttribute('aria-label') ?? element.innerText ?? '').slice(0, 40))
  }
  return [...new Set(found)]
})()`
/** Finds words on buttons that are cut off, and names on a chart's axis that overlap or are outside of the window. */
const cut = `(() => {
  const buttons = [...document.querySelectorAll('.button-text, .segmented-choice')].filter((one) => one.clientWidth > 0 && one.closest('[data-title], .composer-model') === null && one.scrollWidth > one.clientWidth + 1)
  const names = [...document.querySelectorAll('.chart-names span')].map((one) => ({ one, box: one.getBoundingClientRect() })).filter(({ box }) => box.width > 0)
  const wrong = names.filter(({ box }, at) => box.left < 0 || box.right > innerWidth || (at > 0 && box.left < names[at - 1].box.right))
  return [...buttons.map((one) => one.innerText), ...wrong.map(({ one }) => one.innerText)]
})()`

const settings = ['appearance', 'writing', 'shortcuts', 'notifications', 'voice', 'behaviour', 'models', 'permissions', 'budgets', 'profiles', 'sign-in', 'devices', 'shares', 'tool-servers', 'machines', 'plugins', 'privacy', 'transfer', 'archive', 'about']
const text = '# A head\n\nSome `code` and a [link](https://example.org), a note[^1].\n\n```ts\nconst a = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [ ] one\n- two\n\n[^1]: a note'

withBrowser(() => {
  for (const width of [360, 390]) {
    t.test(`whatever can be touched is large enough for a finger, and nothing is cut off: ${width} pixels`, async (t) => {
      const s = await startChat(t)
      writeFileSync(join(s.workspace, 'notes.md'), '# Notes\n')
      const id = await s.newSession({ model: s.model([{ text }], run('rm notes.md'), [{ text: 'As you like.' }]), model_provider: 'openai' })
      await s.post('/api/crons/create', { name: 'Every morning', prompt: 'Say hello', schedule: '0 8 * * *' })
      const { page } = await visitApp(t, s.url, id, { width, height: 740, isPhone: true })
      await page.emulateMedia({ reducedMotion: 'reduce' })
      const look = async (name: string): Promise<void> => {
        await still(page)
        t.same(await page.evaluate(small), [], name)
        t.same(await page.evaluate(cut), [], `${name}: nothing is cut`)
        t.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, `${name} stays within the window`)
      }
      const back = async (): Promise<void> => { await page.goBack(); await page.locator('dialog[open]').waitFor({ state: 'detached' }) }
      await s.send(id, 'Write it')
      await answer(page).getByText('A head').waitFor()
      await look('chat')
      await page.locator('.page-header button').first().click()
      await page.locator('dialog[open]').waitFor()
      await look('list')
      await back()
      await page.locator('.composer-model').click()
      await page.locator('dialog[open]').waitFor()
      await look('model')
      await back()
      await s.send(id, 'Take it away')
      await page.locator('dialog[open]').waitFor()
      await look('approval')
      await page.getByRole('dialog').getByRole('button', { name: /Deny/ }).click()
      await settled(page)
      for (const tab of ['Files', 'Changes', 'Checkpoints']) {
        await openSide(page, tab)
        await look(tab)
      }
      for (const path of ['', 'tasks', 'skills', 'memory', 'usage', 'inbox', 'models', 'settings', ...settings.map((name) => `settings/${name}`)]) {
        await page.goto(`${s.url}/${path}`)
        await page.getByRole('heading', { level: 1 }).or(log(page)).first().waitFor()
        await look(path === '' ? 'start' : path)
      }
      await page.goto(`${s.url}/tasks`)
      await page.getByRole('button', { name: /New task/ }).first().click()
      await page.getByLabel('When?').waitFor()
      await look('task')
    })
  }
})

async function openSide (page: Page, tab: string): Promise<void> {
  const own = page.getByRole('tab', { name: tab })
  if (await own.count() === 0) await page.locator('.side-toggle').click()
  await own.click()
}
