import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, startChat } from '../support/chat.js'
import { box, choose, converse, sent, settled, title, visitApp } from '../support/app-page.js'
import { withBrowser } from '../support/browser.js'

const pictures = process.env.PICTURES
const chatMenu = 'Chat actions'

withBrowser(() => {
  t.test('what is public is shown before it is, and taken back', async (t) => {
    const service = await startChat(t)
    const id = await service.newSession()
    await service.turn(id, 'A message for everybody', service.model([{ text: 'Good day.' }]))
    const { page, problems } = await visitApp(t, service.url, id)
    await choose(page, page.getByRole('banner').getByRole('button', { name: chatMenu, exact: true }), 'Share')
    const dialog = page.getByRole('dialog', { name: 'Share this chat?' })
    await dialog.getByText('without signing in').waitFor()
    const preview = await dialog.getByRole('link', { name: 'Preview the page' }).getAttribute('href')
    t.match((await service.get(preview!)).text, /A message for everybody/)
    t.same((await service.get('/api/shares')).body.shares, [], 'nothing is shared before that is said')
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/share.png` })
    await dialog.getByRole('button', { name: 'Share' }).click()
    const done = page.getByRole('dialog', { name: 'This chat is shared' })
    const address = new URL((await done.getByRole('link').first().getAttribute('href'))!)
    t.equal((await service.get(address.pathname)).status, 200)
    await done.getByRole('button', { name: 'Copy the link' }).click()
    await done.getByRole('button', { name: 'Copied' }).waitFor()
    await done.getByRole('link', { name: 'All shared pages' }).click()
    await page.getByRole('button', { name: /^Stop sharing/ }).click()
    await page.getByText('Nothing is shared.').waitFor()
    t.equal((await service.get(address.pathname)).status, 404)
    t.same(problems, [])
  })

  t.test('running without asking takes a second step that says what it means', async (t) => {
    const service = await startChat(t)
    const id = await service.newSession()
    const { page } = await visitApp(t, service.url, id)
    t.equal(await title(page).innerText(), 'New chat', 'a chat without a title has a name in the language of the app')
    await service.post('/api/session/rename', { session_id: id, title: 'כיצד מאיצים את הרשימה' })
    await title(page).getByText('כיצד').waitFor()
    t.equal(await page.evaluate('getComputedStyle(document.querySelector(".page-title > bdi")).textAlign'), 'left', 'a right-to-left title starts where all titles do')
    const menu = page.getByRole('banner').getByRole('button', { name: chatMenu, exact: true })
    const isOn = async () => (await service.get(`/api/session/yolo?session_id=${id}`)).body.yolo_enabled
    await choose(page, menu, 'Run everything without asking…')
    const dialog = page.getByRole('dialog', { name: 'Run everything without asking?' })
    await dialog.getByRole('button', { name: 'Keep asking' }).click()
    t.equal(await isOn(), false)
    await choose(page, menu, 'Run everything without asking…')
    await dialog.getByRole('button', { name: 'Run without asking' }).click()
    await page.getByText('Runs without asking').first().waitFor()
    t.equal(await isOn(), true)
  })

  t.test('projects are made with a chat in them, named and removed', async (t) => {
    const service = await startChat(t)
    const id = await service.newSession()
    await service.turn(id, 'About the site', service.model([{ text: 'Yes.' }]))
    const { page, problems } = await visitApp(t, service.url, id)
    const project = (name: string) => page.locator('.rail').getByRole('button', { name: new RegExp(`^${name}\\W+1 chat`) })
    const actOn = async (name: string, action: string): Promise<void> => {
      await project(name).hover()
      await page.getByRole('button', { name: `Actions for ${name}` }).click()
      await page.getByRole('menuitem', { name: action }).click()
    }
    await page.getByRole('button', { name: 'Collapse the list of chats' }).click()
    await choose(page, page.getByRole('banner').getByRole('button', { name: chatMenu, exact: true }), 'Move to project')
    await page.getByRole('menuitem', { name: 'New project' }).click()
    await page.getByRole('textbox', { name: 'Name of the project' }).fill('Website')
    await page.keyboard.press('Enter')
    await actOn('Website', 'Rename')
    await page.getByRole('textbox', { name: 'Name of the project' }).fill('Shop')
    await page.keyboard.press('Enter')
    await project('Shop').waitFor()
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/projects.png` })
    await actOn('Shop', 'Folder and instructions')
    const dialog = page.getByRole('dialog', { name: 'Project “Shop”' })
    await dialog.getByRole('textbox', { name: 'Folder' }).fill(service.workspace)
    await dialog.getByRole('textbox', { name: 'Instructions' }).fill('Answer briefly.')
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/project-dialog.png` })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    t.match((await service.get('/api/projects')).body.projects, [{ name: 'Shop', workspace: service.workspace, instructions: 'Answer briefly.' }])
    await actOn('Shop', 'Remove')
    await page.getByText('“Shop” removed').waitFor()
    t.equal((await service.session(id)).project_id, null)
    t.same(problems, [])
  })

  t.test('standing permissions are taken back, and personalities made', async (t) => {
    const service = await startChat(t)
    const config = join(service.folder, 'home', 'config.yaml')
    writeFileSync(config, 'approvals:\n  allow: [cmd:date, "net:example.org"]\n')
    const { page, problems } = await visitApp(t, service.url)
    await eventually('the rules', async () => (await service.get('/api/grants')).body.grants.length === 2)
    await page.goto(`${service.url}/settings/grants`)
    const rule = page.getByRole('listitem').filter({ has: page.getByText('date', { exact: true }) })
    if (pictures !== undefined) await rule.waitFor().then(() => page.screenshot({ path: `${pictures}/grants.png` }))
    await rule.getByRole('button').click()
    await rule.waitFor({ state: 'detached' })
    t.notMatch(readFileSync(config, 'utf8'), 'cmd:date')
    await page.goto(`${service.url}/settings/personalities`)
    await page.getByRole('button', { name: 'Patient teacher' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Edit: Patient teacher' }).click()
    await page.getByLabel('How it speaks').fill('Be patient.')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await eventually('the change', async () => (await service.get('/api/personality?name=Patient%20teacher')).body.prompt === 'Be patient.')
    await page.getByRole('button', { name: 'Delete: Patient teacher' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No personalities yet').waitFor()
    t.same(problems, [])
  })

  t.test('what else can be begun is beside the box and says what it does; a chat begins in a worktree', async (t) => {
    const service = await startChat(t)
    mkdirSync(service.workspace, { recursive: true })
    const git = (...args: string[]) => execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args], { cwd: service.workspace })
    git('init', '-q')
    writeFileSync(join(service.workspace, 'a.txt'), 'a')
    git('add', '.')
    git('commit', '-qm', 'one')
    const { page } = await visitApp(t, service.url, null, { width: 390, height: 844 })
    const more = page.getByRole('button', { name: 'Add files and more' })
    await more.click()
    await page.getByRole('menuitem', { name: /Pursue a goal/ }).waitFor()
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/more-phone.png` })
    await page.getByRole('menuitem', { name: /Ask a side question/ }).click()
    t.equal(await box(page).inputValue(), '/btw ')
    await box(page).fill('')
    await more.click()
    await page.getByRole('menuitemcheckbox', { name: /git worktree/ }).click()
    await converse(page, 'Hello there')
    const id = new URL(page.url()).pathname.split('/').at(-1)!
    t.match((await service.session(id)).worktree_path, /./)
  })

  t.test('an early message is edited where it stands, in view', async (t) => {
    const service = await startChat(t)
    const id = await service.newSession()
    for (let n = 0; n < 4; n++) await service.turn(id, `Message ${n}`, service.model([{ text: Array.from({ length: 30 }, (_, line) => `Line ${line} of ${n}`).join('\n\n') }]))
    const { page } = await visitApp(t, service.url, id)
    const first = sent(page).filter({ hasText: 'Message 0' })
    await page.getByRole('log', { name: 'Conversation' }).focus()
    await page.keyboard.press('Home')
    await first.scrollIntoViewIfNeeded()
    await first.hover()
    await page.locator('.bubble-row').filter({ hasText: 'Message 0' }).getByRole('button').first().click()
    await page.getByRole('menuitem', { name: /Edit/ }).click()
    const field = page.locator('.bubble-edit')
    await field.waitFor()
    await eventually('the field to be in sight', async () => await page.evaluate<boolean>("(() => { const { top, bottom } = document.querySelector('.bubble-edit').getBoundingClientRect(); return top >= 0 && bottom <= innerHeight })()"))
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/edit.png` })
  })

  t.test('the signs of a formula or a footnote are never seen while they come', async (t) => {
    const service = await startChat(t)
    const id = await service.newSession()
    const { page } = await visitApp(t, service.url, id)
    await page.evaluate(`
      window.raw = []
      new MutationObserver(() => {
        for (const one of document.querySelectorAll('.answer code, .answer p, .answer li')) {
          if (/\\[\\^|\\$|\\\\/.test(one.innerText) && !one.closest('math') && getComputedStyle(one).visibility === 'visible') raw.push(one.innerText)
        }
      }).observe(document.body, { childList: true, subtree: true, characterData: true })`)
    const pieces = ['It is $O(n', ' \\log n)$ as', ' known[^1', '], and \\(a', '_1\\) too.\n\n', '[^1]: Knuth,', ' volume 3.\n']
    await service.turn(id, 'How much?', service.model([...pieces.map((text) => ({ text }))]))
    await page.locator('.answer math').first().waitFor()
    await page.getByText('Knuth, volume 3.', { exact: true }).waitFor()
    t.same(await page.evaluate('raw'), [])
  })

  t.test('right-to-left text leaves code as it is', async (t) => {
    const service = await startChat(t)
    const id = await service.newSession()
    await service.turn(id, 'שלום', service.model([{ text: 'הרץ `npm run build --if-present` עכשיו:\n\n```bash\ngit push origin main\n```\n\n| א | ב |\n|---|---|\n| `a[0]` | ג |' }]))
    const { page } = await visitApp(t, service.url, id)
    const answer = page.getByRole('article', { name: 'Answer' })
    await answer.waitFor()
    t.same(await page.evaluate("[...document.querySelectorAll('.answer code')].map((one) => getComputedStyle(one).direction)"), ['ltr', 'ltr', 'ltr'])
    t.equal(await page.evaluate("getComputedStyle(document.querySelector('.answer p')).direction"), 'rtl')
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/rtl.png` })
  })

  t.test('a key that is refused leads to Models', async (t) => {
    const service = await startChat(t)
    const id = await service.newSession({ model: service.model([{ refuse: 401 }]), model_provider: 'openai' })
    const { page } = await visitApp(t, service.url, id)
    await box(page).fill('Hello')
    await page.keyboard.press('Enter')
    await settled(page)
    await page.getByRole('link', { name: 'Check it in Models' }).click()
    await page.waitForURL(/\/models$/)
  })
})
