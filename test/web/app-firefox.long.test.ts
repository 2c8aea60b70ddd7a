import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Page } from 'playwright-core'
import t, { type Test } from '#test'
import { answer, answers, approval, box, count, say, sent, settled, stop, visitApp, wrong } from '../support/app-page.js'
import { start } from '../support/app.js'
import { violations } from '../support/axe.js'
import { visit, withBrowser } from '../support/browser.js'
import { eventually, startChat } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'
import { called } from '../support/mcp/calls.js'
import { appsServer, startWith } from '../support/mcp/servers.js'
import { counted } from '../support/page.js'
import { spawnServer } from '../support/server.js'
import { answerJson, startSpeechEndpoint } from '../support/speech-endpoint.js'

const password = 'correct horse'
const diagram = '```mermaid\nflowchart LR\n  accTitle: How a turn goes\n  A[Message] --> B[Answer]\n```'
const drawnPage = '```html\n<!doctype html><title>Counter</title><h1>First</h1><button onclick="this.textContent = \'Clicked\'">Press</button>\n```'

/** In the app's own themes: a page cannot be told here that its device is a dark one. */
async function soundInBoth (t: Test, page: Page, what: string): Promise<void> {
  for (const theme of ['dark', 'light']) {
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
    t.same(await violations(page), [], `${what}, ${theme}`)
  }
}

withBrowser(() => {
  t.test('Firefox: sign in, the tour shows a change before it is made, an answer is seen as it comes', async (t) => {
    const s = await start(t, { env: { SVC_WEBUI_PASSWORD: password }, demoWordsPerSecond: 60 })
    const { page, problems } = await visit(t, s.url)
    t.equal(new URL(page.url()).pathname, '/login')
    t.same(await violations(page), [], 'the page to sign in')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Try it without a model' }).waitFor()
    await soundInBoth(t, page, 'the start')
    await page.getByRole('button', { name: 'Show me a change I approve' }).click()
    await approval(page).locator('.diff').getByText('Packing list').first().waitFor()
    await soundInBoth(t, page, 'a card')
    await page.getByRole('button', { name: /^Allow once/ }).click()
    await page.getByText('- [x] Passport').last().waitFor()
    await page.getByRole('button', { name: /^Allow once/ }).click()
    await settled(page)
    t.match(readFileSync(join(s.workspace, 'demo-list.md'), 'utf8'), '- [x] Passport')

    await say(page, 'slow 60')
    await answer(page).getByText('1 2 3').waitFor()
    t.equal(await stop(page).isVisible(), true, 'it is seen while it is written')
    await box(page).fill('typed meanwhile')
    await settled(page)
    t.equal(await count(page, counted(60)), 1)
    t.equal(await box(page).inputValue(), 'typed meanwhile')
    await soundInBoth(t, page, 'a chat')
    t.same(wrong(problems), [])
  })

  t.test('Firefox: a file is edited, found in, saved and undone', async (t) => {
    const s = await start(t, { hosts: 'inproc' })
    writeFileSync(join(s.workspace, 'a.txt'), 'one two\n')
    const { page, problems } = await visitApp(t, s.url, await s.newSession())
    await page.getByRole('button', { name: 'Show files and changes' }).click()
    await page.getByRole('button', { name: 'File a.txt', exact: true }).click()
    await page.getByRole('button', { name: 'Edit' }).click()
    const editor = page.getByRole('textbox', { name: 'Text of a.txt' })
    const state = page.locator('.preview-title')
    const text = (): string => readFileSync(join(s.workspace, 'a.txt'), 'utf8')
    await editor.click()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type('one\n')
    await state.getByText('Not saved yet').waitFor()
    await soundInBoth(t, page, 'the editor')
    await page.keyboard.press('ControlOrMeta+s')
    await state.getByText('Saved', { exact: true }).waitFor()
    t.equal(text(), 'one two\none\n')
    await eventually('what was saved is undone', async () => {
      await page.keyboard.press('ControlOrMeta+z')
      await page.keyboard.press('ControlOrMeta+s')
      return text() === 'one two\n'
    })
    await editor.press('ControlOrMeta+f')
    await page.getByRole('textbox', { name: 'Find' }).pressSequentially('two')
    await page.locator('.cm-searchMatch').waitFor()
    t.same(wrong(problems), [])
  })

  t.test('Firefox: the service is killed during an answer and comes back: nothing is missing, nothing is there twice', async (t) => {
    const folder = temporaryFolder(t, 'firefox')
    const environment = { OFFLINE_DEMO_WORDS_PER_SECOND: '60' }
    const first = await spawnServer(t, folder, environment)
    const { page, problems } = await visitApp(t, first.url)
    await say(page, 'slow 60')
    await answer(page).getByText('5 6 7').waitFor()
    await eventually('a service worker', async () => await page.evaluate('navigator.serviceWorker.controller !== null'))
    await first.end('SIGKILL')
    await page.getByText('The service cannot be reached').waitFor()
    await say(page, 'And then?')
    const unsent = page.getByRole('list', { name: 'Not sent yet' })
    await unsent.getByText('And then?').waitFor()
    const second = await spawnServer(t, folder, { ...environment, SVC_WEBUI_PORT: new URL(first.url).port })
    await unsent.waitFor({ state: 'detached' })
    await sent(page).getByText('And then?').waitFor()
    await eventually('both answers', async () => await answers(page).count() === 2)
    await settled(page)
    t.equal(await count(page, counted(60)), 1)
    t.equal(await sent(page).count(), 2)
    await second.end('SIGKILL')
    await page.getByText('The service cannot be reached').waitFor()
    await page.reload()
    await page.getByText('The service cannot be reached').first().waitFor()
    await box(page).waitFor()
    t.same(problems.filter((problem) => /content security policy/i.test(problem)), [])
  })

  t.test('Firefox: on a phone the chats come over the page, and a message is dictated', async (t) => {
    const speech = await startSpeechEndpoint(t, (_call, response) => answerJson(response, 200, { text: 'Hello there.' }))
    const s = await start(t, { env: { SPEECH_KEY: 'secret' } })
    const id = await s.newSession()
    await s.send(id, 'The one')
    const { page, problems } = await visitApp(t, s.url, null, { width: 360, height: 740 })
    t.equal(await page.getByRole('button', { name: 'Dictate' }).count(), 0, 'nothing here can listen')
    await page.getByRole('button', { name: 'Show chats' }).click()
    const drawer = page.getByRole('dialog', { name: 'Chats' })
    await drawer.getByText('The one').waitFor()
    await soundInBoth(t, page, 'the list over the page')
    await page.goBack()
    await drawer.waitFor({ state: 'hidden' })
    t.equal(new URL(page.url()).pathname, '/', 'still on the same page')

    writeFileSync(join(s.folder, 'home', 'config.yaml'), `stt: { base_url: "${speech.url}/", key_env: SPEECH_KEY }\n`)
    await page.reload()
    await page.getByRole('button', { name: 'Dictate' }).click()
    await page.getByText('Recording').first().waitFor()
    await page.waitForTimeout(500)
    await soundInBoth(t, page, 'a recording')
    await page.getByRole('button', { name: 'Stop and transcribe' }).click()
    await eventually('what was said is in the box', async () => (await box(page).inputValue()).includes('Hello there.'))
    t.match(speech.calls.at(-1)?.bytes.toString('latin1'), 'OpusHead', 'in the form that this browser has')
    t.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    t.same(wrong(problems), [])
  })

  t.test('Firefox: notifications that the browser refuses are explained', async (t) => {
    const s = await start(t, { hosts: 'inproc' })
    const { page, problems } = await visit(t, `${s.url}/settings/notifications`)
    await page.getByText('The browser blocks notifications from this page.').waitFor()
    t.equal(await page.getByRole('button', { name: 'Notify this browser' }).count(), 0)
    await soundInBoth(t, page, 'notifications')
    t.same(wrong(problems), [])
  })

  t.test('Firefox: a diagram, a page and the view of a tool are drawn in frames of other origins', async (t) => {
    const s = await startChat(t)
    const id = await s.newSession({ model: s.model([{ text: `${diagram}\n\n${drawnPage}` }]), model_provider: 'openai' })
    await s.send(id, 'Draw it')
    const drawn = await visitApp(t, s.url, id)
    const picture = drawn.page.getByRole('img', { name: 'How a turn goes' })
    await picture.waitFor()
    t.ok(await picture.evaluate((element) => 'naturalWidth' in element && Number(element.naturalWidth) > 100))
    await drawn.page.locator('.artifact').last().getByText('Page', { exact: true }).click()
    const inside = drawn.page.frameLocator('.artifact iframe')
    await inside.getByRole('button', { name: 'Press' }).click()
    await inside.getByText('Clicked').waitFor()
    t.same(wrong(drawn.problems), [])

    const service = await startWith(t, { mcp_servers: { apps: appsServer }, approvals: { allow: ['mcp:apps:board'] } })
    const { session } = await called(service, 'mcp__apps__board', { name: 'first' })
    const { page: board, problems } = await visitApp(t, service.url, session)
    const view = board.getByRole('figure', { name: 'board from apps' }).locator('iframe').contentFrame()
    await view.getByText('Result: first').waitFor()
    await view.getByRole('button', { name: 'Add' }).click()
    await board.getByRole('dialog', { name: 'Use add from apps?' }).getByRole('button', { name: 'Allow once' }).click()
    await view.getByText('It is 2 now').waitFor()
    t.same(wrong(problems), [])
  })
}, 'firefox')
