import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Page } from 'playwright-core'
import t from '#test'
import { answer, chats, log, say, settled, visitApp, wrong } from '../support/app-page.js'
import { violations } from '../support/axe.js'
import { visit, withBrowser } from '../support/browser.js'
import { eventually, startChat, type ChatService, type ScriptedAnswer } from '../support/chat.js'

const card = (page: Page) => page.getByRole('region', { name: 'Provider at its limit' })
const press = (page: Page, name: string) => card(page).getByRole('button', { name, exact: true }).click()
const phone = { width: 390, height: 844, isPhone: true }
const refused = (headers: Record<string, string> = { 'retry-after': '3600' }): ScriptedAnswer => [{ refuse: 429, error: 'Too many', headers }]
const until = /^OpenAI is at its limit until \d+:\d\d\. The turn then continues automatically\.$|^OpenAI is at its limit until \w+ \d+:\d\d\. The turn then continues automatically\.$/

/** Creates a chat whose turn waits, open on a desk and on a phone. */
async function limited (t: Parameters<typeof visitApp>[0], s: ChatService, ...answers: ScriptedAnswer[]) {
  const model = s.model(...answers)
  const id = await s.newSession({ model, model_provider: 'openai' })
  const desk = await visitApp(t, s.url, id)
  await say(desk.page, 'Count to ten')
  await card(desk.page).waitFor()
  const second = await visitApp(t, s.url, id, phone)
  await card(second.page).waitFor()
  // On a loaded machine git may take longer than the service waits for it; the page asks again later.
  const problems = () => wrong([...desk.problems, ...second.problems], '/api/git/status')
  return { id, model, desk: desk.page, phone: second.page, problems }
}

withBrowser(() => {
  t.test('a turn at a limit says until when, on every device and after a reload, and continues from any of them', async (t) => {
    const s = await startChat(t)
    const { id, desk, phone, problems, model } = await limited(t, s, refused(), [{ text: 'One to ten.' }])
    for (const page of [desk, phone]) {
      await card(page).getByRole('status').getByText(until).waitFor()
      t.same(await card(page).getByRole('button').allInnerTexts(), ['Continue now', 'Use another model…', 'Stop'])
      t.same(await violations(page), [])
      const box = await card(page).boundingBox()
      t.ok(box !== null && box.x >= 0 && box.x + box.width <= page.viewportSize()!.width, 'it fits')
    }
    await chats(desk).getByRole('img', { name: /at its limit|limit/ }).first().waitFor()
    await desk.reload()
    await card(desk).getByRole('status').getByText(until).waitFor()
    await press(phone, 'Continue now')
    for (const page of [phone, desk]) {
      await settled(page)
      await card(page).waitFor({ state: 'detached' })
      t.match(await answer(page).innerText(), 'One to ten.')
    }
    t.equal(s.requests(model).length, 2)
    t.equal((await s.session(id)).messages.length, 2)
    t.same(problems(), [])
  })

  t.test('another model takes over, and a stop is one on every device', async (t) => {
    const s = await startChat(t)
    const { id, desk, phone, problems } = await limited(t, s, refused())
    const other = s.model([{ text: 'I stand in.' }])
    writeFileSync(join(s.folder, 'home', 'config.yaml'), JSON.stringify({ custom_providers: [{ name: 'Mine', base_url: s.endpoint.url, models: [other] }] }))
    await press(desk, 'Use another model…')
    const picker = desk.getByRole('dialog', { name: 'Continue with another model' })
    await picker.waitFor()
    t.same(await violations(desk), [])
    await picker.getByRole('option', { name: new RegExp(other) }).or(picker.getByRole('button', { name: new RegExp(other) })).or(picker.getByRole('radio', { name: new RegExp(other) })).first().click()
    for (const page of [desk, phone]) {
      await settled(page)
      t.match(await answer(page).innerText(), 'I stand in.')
    }
    t.match((await s.session(id)).messages.at(-1), { _usedModel: other })
    t.same(problems(), [])

    const stopped = await limited(t, s, refused())
    await press(stopped.phone, 'Stop')
    for (const page of [stopped.phone, stopped.desk]) await card(page).waitFor({ state: 'detached' })
    await eventually('it is over', async () => (await s.session(stopped.id)).active_stream_id === null)
    t.same(stopped.problems(), [])
  })

  t.test('a turn that cannot continue says why and waits on every device, and another tap takes it up', async (t) => {
    const s = await startChat(t)
    const refusal: ScriptedAnswer = [{ refuse: 401, error: 'Incorrect API key' }]
    const { desk, phone, problems } = await limited(t, s, refused(), refusal, [{ text: 'Here again.' }])
    await press(desk, 'Continue now')
    const stuck = (page: Page) => page.getByRole('region', { name: 'The turn could not continue with OpenAI. It waits for your decision.' })
    for (const page of [desk, phone]) {
      await stuck(page).getByRole('status').getByText(/refused the API key/).waitFor()
      t.same(await stuck(page).getByRole('button').allInnerTexts(), ['Continue now', 'Use another model…', 'Stop'])
      t.same(await violations(page), [])
    }
    await phone.reload()
    await stuck(phone).getByRole('button', { name: 'Continue now', exact: true }).click()
    for (const page of [desk, phone]) await log(page).getByText('Here again.').waitFor()
    t.same(problems(), [])
  })

  t.test('where a person decides, the card says so; to wait is told to every device, and stays over a reload', async (t) => {
    const s = await startChat(t)
    writeFileSync(join(s.folder, 'home', 'config.yaml'), JSON.stringify({ agent: { on_limit: 'ask' } }))
    const { desk, phone, problems } = await limited(t, s, refused(), [{ text: 'There.' }])
    const asks = 'OpenAI is at its limit. The turn waits until you decide how it continues.'
    for (const page of [desk, phone]) {
      await card(page).getByRole('status').getByText(asks).waitFor()
      t.same(await card(page).getByRole('button').allInnerTexts(), ['Continue now', 'Wait', 'Use another model…', 'Stop'])
    }
    const away = await visit(t, `${s.url}/away`)
    await away.page.getByText('1 waiting for you.').waitFor()
    const waiting = away.page.getByRole('region', { name: 'Waiting for you' })
    await waiting.getByText(asks).waitFor()
    await waiting.getByRole('link', { name: 'Decide', exact: true }).waitFor()
    t.equal(await away.page.getByRole('region', { name: 'Running' }).count(), 0, 'it waits, and does not run')
    await eventually('the window says so', async () => (await away.page.title()).startsWith('(1) '))
    t.same(await violations(away.page), [])
    const inbox = await visit(t, `${s.url}/inbox`)
    await inbox.page.getByRole('region', { name: 'At a limit' }).getByText(asks).waitFor()
    t.same(await violations(inbox.page), [])
    await press(phone, 'Wait')
    for (const page of [phone, desk]) {
      await card(page).getByRole('status').getByText(until).waitFor()
      t.same(await card(page).getByRole('button').allInnerTexts(), ['Continue now', 'Use another model…', 'Stop'])
    }
    await waiting.waitFor({ state: 'detached' })
    await away.page.getByText(/^OpenAI is at its limit until (?:today|tomorrow) at \d+:\d\d\. The turn then continues automatically\.$/).waitFor()
    await desk.reload()
    await card(desk).getByRole('status').getByText(until).waitFor()
    await press(desk, 'Continue now')
    await log(phone).getByText('There.').waitFor()
    t.same(problems(), [])
  })
})
