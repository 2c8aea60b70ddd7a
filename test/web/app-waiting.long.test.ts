import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { answer, appAddress, approval, box, chats, focusedName, listen, log, question, say, settled, title, told, visitApp, wrong } from '../support/app-page.js'
import { start } from '../support/app.js'
import { violations } from '../support/axe.js'
import { visit, withBrowser } from '../support/browser.js'
import { eventually, startChat, type ChatService, type ScriptedAnswer } from '../support/chat.js'

const run = (command: string): ScriptedAnswer => [{ tool: 'terminal', args: { command } }]
const asking = (text: string): ScriptedAnswer => [{ tool: 'clarify', args: { question: text } }]
const sessionWith = (s: ChatService, ...answers: ScriptedAnswer[]): Promise<string> => s.newSession({ model: s.model(...answers), model_provider: 'openai' })

withBrowser(() => {
  t.test('a question: in own words, over a reload; who is typing keeps the focus, and gets it back after an answer', async (t) => {
    const s = await start(t)
    const { page, problems } = await visitApp(t, s.url)
    await say(page, 'ask me Tea or coffee? tea | coffee')
    const card = question(page)
    await card.waitFor()
    t.equal(await focusedName(page), 'Question: Tea or coffee?', 'the empty box leaves the focus to the card')
    await page.reload()
    await card.getByRole('textbox').fill('a <i>biscuit</i>')
    await card.getByRole('textbox').press('Enter')
    await card.waitFor({ state: 'detached' })
    await settled(page)
    t.match(await answer(page).innerText(), 'The user answered: a <i>biscuit</i>')

    await say(page, 'ask me what else? milk | sugar')
    await box(page).fill('I am writing')
    await card.waitFor()
    await box(page).press('End')
    await page.keyboard.type(' this')
    t.equal(await box(page).inputValue(), 'I am writing this')
    await card.getByRole('button', { name: 'sugar' }).click()
    await settled(page)
    t.match(await answer(page).innerText(), 'The user answered: sugar')
    t.equal(await box(page).inputValue(), 'I am writing this')
    t.same(wrong(problems), [])
  })

  t.test('what waits, over all chats: counted, in the title, listed, one click away', async (t) => {
    const s = await startChat(t)
    await s.send(await sessionWith(s, run('echo one')), 'The <b>first</b>')
    const { page, problems } = await visitApp(t, s.url)
    await page.getByRole('link', { name: '1 waiting' }).waitFor()
    await s.send(await sessionWith(s, asking('Red <i>or</i> blue?')), 'The second')
    await page.getByRole('link', { name: '2 waiting' }).waitFor()
    t.match(await page.title(), /^\(2\) /)
    await chats(page).getByRole('img', { name: 'has a question' }).waitFor()
    t.match(await chats(page).innerText(), /The <b>first<\/b>/)

    await page.getByRole('link', { name: '2 waiting' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/inbox$/)
    await page.getByRole('main').getByText('Red <i>or</i> blue?').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'The second' }).click()
    await title(page).getByText('The second').waitFor()
    await question(page).getByRole('textbox').fill('Blue')
    await question(page).getByRole('textbox').press('Enter')
    await page.getByRole('link', { name: '1 waiting' }).click()
    await approval(page).getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('link', { name: /waiting/ }).waitFor({ state: 'hidden' })
    t.notMatch(await page.title(), /^\(/)
    t.same(wrong(problems), [])
  })

  t.test('the start says what happened, and a question is answered on it; what was looked at stays until the next look', async (t) => {
    const s = await startChat(t)
    await s.turn(await sessionWith(s, [{ text: '**Nine** commits, every check green. More follows.' }]), 'The first')
    await s.send(await sessionWith(s, [{ tool: 'clarify', args: { question: 'Keep how many?', choices: ['7 days', '30 days'] } }]), 'The backups')
    const { page, problems } = await visitApp(t, s.url)
    const start = page.getByRole('main', { name: 'Home' })
    await start.getByRole('heading', { level: 1, name: '1 waiting, 1 finished.' }).waitFor()
    await start.getByText('Nine commits, every check green.').waitFor()
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
      t.same(await violations(page), [], `the start, ${scheme}`)
    }
    await box(page).fill('half a thought')
    await start.getByRole('button', { name: '30 days' }).click()
    await start.getByText('Keep how many?').waitFor({ state: 'detached' })
    t.equal(await box(page).inputValue(), 'half a thought')
    await start.getByRole('heading', { level: 1, name: /2 finished/ }).waitFor()

    await eventually('the look is told', async () => (await s.get('/api/home')).body.finished.length === 0)
    await start.getByText('Nine commits, every check green.').waitFor()
    await page.keyboard.press('Control+j')
    await page.waitForURL(/\/new$/)
    t.equal(await box(page).inputValue(), 'half a thought', 'what is typed goes along')
    t.equal(await focusedName(page), 'Message')
    await chats(page).getByRole('link', { name: 'Home' }).click()
    await start.getByRole('heading', { level: 1, name: /^All quiet/ }).waitFor()
    await box(page).press('Enter')
    await page.waitForURL(/\/session\//)
    await log(page).getByText('half a thought').waitFor()
    t.same(wrong(problems), [])
  })

  t.test('a card that will be over: the time counts down quietly; a long command stays inside', async (t) => {
    const s = await startChat(t)
    writeFileSync(join(s.folder, 'home', 'config.yaml'), 'approvals:\n  timeout: 34\n')
    const sessionId = await sessionWith(s, run(`echo ${'a-word-that-does-not-break-'.repeat(30)}\n`.repeat(12)))
    const { page, problems } = await visit(t, appAddress(s.url, sessionId), { width: 800, height: 600 })
    await log(page).waitFor()
    await listen(page)
    await s.send(sessionId, 'Go on')
    const card = approval(page)
    const left = card.getByRole('timer')
    await left.waitFor()
    t.match(await left.innerText(), /^0:3\d left$/)
    await left.getByText(/^0:2\d left$/).waitFor()
    for (const button of await card.getByRole('button').all()) t.equal(await button.evaluate((element) => element.getBoundingClientRect().bottom <= element.ownerDocument.documentElement.clientHeight), true, 'every answer can be reached')
    const tellings = (await told(page)).filter((text) => text !== '')
    t.equal(tellings.filter((text) => /left to answer/.test(text)).length, 1, 'a screen reader is told once')
    t.ok(tellings.length <= 4, tellings.join(' | '))
    t.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    t.same(wrong(problems), [])
  })
})
