import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Page } from 'playwright-core'
import t, { type Test } from '#test'
import { answer, approval, box, log, say, settled, title } from '../support/app-page.js'
import { visit, withBrowser } from '../support/browser.js'
import { eventually, startChat } from '../support/chat.js'
import { side, startScenes } from '../support/scenes.js'

/**
 * Finds what is cut off, covered by something else, or only visible after scrolling sideways; code, tables and lines of tabs may be wide.
 */
const wrong = `(() => {
  const found = document.documentElement.scrollWidth > innerWidth ? ['the page is too wide'] : []
  const named = (element) => element.tagName.toLowerCase() + '.' + element.className + ' ' + (element.getAttribute('aria-label') ?? element.innerText ?? '').slice(0, 40)
  for (const element of document.querySelectorAll('body *')) {
    if (element.clientWidth < 2 || element.scrollWidth <= element.clientWidth + 1 || element.closest('pre, table, .markdown-table, .tabs-list, .code-editor, textarea, svg, .visually-hidden') !== null) continue
    const { overflowX, textOverflow } = getComputedStyle(element)
    if (overflowX === 'auto' || overflowX === 'scroll' || (overflowX !== 'visible' && textOverflow !== 'ellipsis' && element.matches('button, a, label, h1, h2, h3, legend, th'))) found.push('cut: ' + named(element) + ' by ' + [...element.querySelectorAll('*')].filter((one) => one.getBoundingClientRect().right > element.getBoundingClientRect().right + 1).map(named).at(-1))
  }
  const top = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document
  for (const element of top.querySelectorAll('button, a[href], input:not([type=hidden]), select, textarea, summary')) {
    const style = getComputedStyle(element)
    if (element.disabled || element.closest('[inert], .visually-hidden') !== null || style.visibility === 'hidden' || style.display === 'inline') continue
    element.scrollIntoView({ block: 'center', inline: 'center' })
    const { left, top, width, height } = element.getBoundingClientRect()
    if (width === 0 || height === 0) continue
    const hit = document.elementFromPoint(left + width / 2, top + height / 2)
    if (hit === null || !(element.contains(hit) || hit.contains(element) || hit.closest('label')?.control === element)) found.push('covered: ' + named(element) + ' by ' + (hit === null ? 'the edge' : named(hit)))
  }
  return found
})()`

const focused = (page: Page): Promise<string> => page.evaluate<string>(
  '(document.activeElement?.labels?.[0]?.innerText || document.activeElement?.getAttribute("aria-label") || document.activeElement?.innerText || "").trim().replaceAll("\\n", " ")')

/** Presses Tab until an element of this name has the focus. */
async function tabTo (t: Test, page: Page, name: RegExp): Promise<void> {
  const seen: string[] = []
  for (let at = 0; at < 90; at++) {
    await page.keyboard.press('Tab')
    const now = await focused(page)
    if (name.test(now)) return
    seen.push(now.slice(0, 30))
  }
  t.fail(`${String(name)} is not reached by Tab, but ${seen.join(' | ')}`)
}

/** Presses each key once the previous change is drawn, like the fastest person. */
async function press (page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) {
    await page.keyboard.press(key)
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  }
}

withBrowser(() => {
  t.test('large type and narrow windows: nothing is cut off, covered, or to be scrolled sideways', async (t) => {
    const { service, scenes } = await startScenes(t)
    for (const [width, type] of [[1_280, 32], [640, 32], [320, 16], [320, 32]] as const) {
      for (const scene of scenes.filter(({ on }) => on !== 'desk')) {
        const { page } = await visit(t, 'about:blank', { width, height: 800 })
        await (await page.context().newCDPSession(page)).send('Page.setFontSizes', { fontSizes: { standard: type, fixed: type } })
        await page.emulateMedia({ reducedMotion: 'reduce' })
        await page.goto(service.url + scene.path)
        await scene.act?.(page)
        await page.locator('.skeleton').first().waitFor({ state: 'detached' })
        t.same(await page.evaluate(wrong), [], `${scene.name}, ${width} pixels, type of ${type}`)
        await page.context().close()
      }
    }
  })

  t.test('by keyboard alone: a chat, its cards, its menu, its files', async (t) => {
    const { service, scenes } = await startScenes(t)
    const { page, problems } = await visit(t, service.url)
    await box(page).waitFor()
    t.equal(await focused(page), 'Message')
    await page.keyboard.type('Good day')
    await press(page, 'Enter')
    await settled(page)
    await answer(page).waitFor()

    await page.goto(service.url + scenes.find(({ name }) => name === 'approval')!.path)
    await approval(page).locator('.prompt-once:enabled').waitFor()
    await tabTo(t, page, /^Allow once/)
    await press(page, 'Enter')
    await approval(page).waitFor({ state: 'detached' })
    await settled(page)

    await page.goto(service.url + scenes.find(({ name }) => name === 'conversation')!.path)
    await log(page).getByText('Nothing else reads the rows.').waitFor()
    await tabTo(t, page, /^Skip to the message box$/)
    await tabTo(t, page, /^Chat actions$/)
    await press(page, 'Enter')
    await page.getByRole('menu').waitFor()
    await press(page, 'r', 'Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    t.equal(await focused(page), 'Chat actions', 'the focus is where the menu was opened')
    await press(page, ']')
    await page.getByRole('tab', { name: 'Files' }).waitFor()
    await tabTo(t, page, /^Files$/)
    await press(page, 'ArrowRight')
    t.match(await focused(page), /^Changes/)
    await press(page, 'ArrowLeft')
    await tabTo(t, page, /^Folder routes$/)
    for (let at = 0; at < 4 && !/README\.md$/.test(await focused(page)); at++) await press(page, 'ArrowDown')
    t.match(await focused(page), /README\.md$/, 'arrows move in the list')
    await press(page, 'Enter')
    await tabTo(t, page, /^Edit$/)
    await press(page, 'Enter')
    await page.getByRole('textbox', { name: 'Text of README.md' }).waitFor()
    await press(page, 'ControlOrMeta+End')
    await page.keyboard.type('By keyboard.')
    await press(page, 'ControlOrMeta+s')
    await eventually('the saved file', () => readFileSync(join(service.workspace, 'site/README.md'), 'utf8').includes('By keyboard.'))
    await press(page, 'Escape', 'Escape')
    await page.getByRole('tab', { name: 'Files' }).waitFor({ state: 'detached' })
    await press(page, '?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await press(page, 'Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    t.same(problems.filter((problem) => !problem.includes('/api/providers/discover')), [])
  })

  t.test('by keyboard alone: the other screens', async (t) => {
    const { service } = await startScenes(t)
    const { page, problems } = await visit(t, `${service.url}/inbox`)
    await page.locator('.prompt-once:enabled').waitFor()
    await press(page, 'Tab')
    t.equal(await focused(page), 'Skip to the content')
    await press(page, 'Enter')
    t.equal(await focused(page), 'Waiting for you')
    await tabTo(t, page, /^Deny/)
    await press(page, 'Enter')
    await page.locator('[data-prompt]').waitFor({ state: 'detached' })

    await page.evaluate('document.activeElement.blur()')
    await press(page, 'Tab')
    await tabTo(t, page, /^Tasks$/)
    await press(page, 'Enter')
    await page.locator('.task-row').first().waitFor()
    t.equal(await focused(page), 'Tasks', 'the next Tab is in the screen')
    await tabTo(t, page, /^New task$/)
    await press(page, 'Enter')
    await page.getByLabel('What should happen?').waitFor()
    await tabTo(t, page, /^What should happen/)
    await page.keyboard.type('Count the files')
    await tabTo(t, page, /^When/)
    await press(page, 'ControlOrMeta+a')
    await page.keyboard.type('every day at 6')
    await page.locator('.task-sentence', { hasText: '6:00' }).waitFor()
    await tabTo(t, page, /^Save task$/)
    await press(page, 'Enter')
    await eventually('the task', async () => (await service.get('/api/crons')).body.jobs.length === 2)

    await page.goto(`${service.url}/memory`)
    await page.locator('.memory-fact').first().waitFor()
    await tabTo(t, page, /^Add a fact$/)
    await press(page, 'Enter')
    await page.locator('textarea:focus, input:focus').waitFor()
    await page.keyboard.type('The keyboard is enough')
    await tabTo(t, page, /^(Save|Add)$/)
    await press(page, 'Enter')
    await page.locator('.memory-fact', { hasText: 'The keyboard is enough' }).waitFor()

    await page.goto(`${service.url}/models`)
    await page.locator('.provider').first().waitFor()
    await tabTo(t, page, /^Change: Default model$/)
    await press(page, 'Enter')
    await page.getByRole('combobox').or(page.getByRole('searchbox')).first().waitFor()
    await press(page, 'Escape')
    t.equal(await focused(page), 'Change: Default model')

    await page.goto(`${service.url}/settings`)
    await page.getByRole('searchbox').waitFor()
    await tabTo(t, page, /^Search settings$/)
    await page.keyboard.type('theme')
    await page.locator('.settings-hits > li').first().waitFor()
    await tabTo(t, page, /^Match the device$/)
    await press(page, 'ArrowRight', 'ArrowRight')
    await page.locator('[data-theme=dark]').waitFor()
    await press(page, 'ControlOrMeta+k')
    await page.getByRole('combobox').waitFor()
    await page.keyboard.type('usage')
    await page.getByRole('option', { name: /^Usage/ }).waitFor()
    await press(page, 'Enter')
    await title(page).getByText('Usage').waitFor()
    t.same(problems.filter((problem) => !problem.includes('/api/providers/discover')), [])
  })

  t.test('who wants no motion sees none', async (t) => {
    const { service, scenes } = await startScenes(t)
    const { page } = await visit(t, 'about:blank')
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.addInitScript(`
      window.moved = []
      const noteMotion = (event) => {
        for (const one of document.getAnimations()) {
          if (Number(one.effect?.getComputedTiming().duration) > 1) moved.push([one.animationName ?? one.transitionProperty ?? 'script', one.effect.target?.className].join(' of '))
        }
      }
      for (const type of ['animationstart', 'transitionrun']) document.addEventListener(type, noteMotion, true)
      for (const name of ['scrollTo', 'scrollBy', 'scrollIntoView', 'animate']) {
        const own = Element.prototype[name]
        Element.prototype[name] = function (...given) {
          if (name === 'animate' || given.some((one) => one?.behavior === 'smooth')) moved.push(name + ' of ' + this.className)
          return own.apply(this, given)
        }
      }`)
    for (const scene of scenes) {
      await page.goto(service.url + scene.path)
      await scene.act?.(page)
      t.same(await page.evaluate('[...new Set(moved)]'), [], scene.name)
    }
    await page.goto(service.url)
    await say(page, 'Good day')
    await settled(page)
    await page.getByRole('banner').getByRole('button', { name: 'Chat actions', exact: true }).click()
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('Escape')
    await side(page, 'Changes')
    await page.keyboard.press('?')
    t.same(await page.evaluate('[...new Set(moved)]'), [], 'what opens')
  })

  t.test('a conversation from right to left in an English app: each text has its own direction, and code has none', async (t) => {
    const s = await startChat(t)
    const told = '# العنوان\n\nهذه فقرة مع `code` فيها.\n\n- البند الأول\n- البند الثاني\n\n1. أولا\n\n> اقتباس\n\n| اسم | عدد |\n|---|---|\n| تفاح | ٣ |\n\n```ts\nconst a = 1\n```\n\nAnd a line in English.'
    const id = await s.newSession({ model: s.model([{ text: told }]), model_provider: 'openai' })
    await s.post('/api/session/rename', { session_id: id, title: 'שיחה בעברית: README.md' })
    await s.turn(id, 'שלום, מה שלומך?')
    const { page } = await visit(t, `${s.url}/session/${id}`)
    await log(page).getByText('And a line in English.').waitFor()
    const directionOf = async (selector: string): Promise<string> => await page.locator(selector).first().evaluate((element) => element.matches(':dir(rtl)') ? 'rtl' : 'ltr')
    for (const selector of ['.bubble-text', '.markdown-h1', '.answer p', '.answer ul', '.answer ul > li', '.answer ol', '.answer blockquote', '.answer td', '.answer th']) {
      t.equal(await directionOf(selector), 'rtl', selector)
    }
    for (const selector of ['.answer pre', '.answer pre code', '.answer p code']) t.equal(await directionOf(selector), 'ltr', selector)
    t.equal(await page.locator('.answer p', { hasText: 'And a line' }).evaluate((element) => element.matches(':dir(rtl)') ? 'rtl' : 'ltr'), 'ltr')
    const dots = await page.evaluate(`(() => {
      const [list, item] = ['.answer ul', '.answer ul > li'].map((one) => document.querySelector(one).getBoundingClientRect())
      return list.right - item.right > item.left - list.left
    })()`)
    t.ok(dots, 'the dots of a list are on its right')
    await box(page).fill('مرحبا')
    t.equal(await directionOf('#message'), 'rtl')
    await box(page).fill('Hello')
    t.equal(await directionOf('#message'), 'ltr')
    for (const selector of ['.page-title bdi, .page-title[dir]', '.rail-row[aria-current] .rail-row-title']) {
      t.equal(await page.locator(selector).first().evaluate((element) => element.matches(':dir(rtl)') ? 'rtl' : 'ltr'), 'rtl', selector)
    }
    await page.goto(`${s.url}/memory`)
    t.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
  })
})
