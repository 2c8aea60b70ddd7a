import { createHmac } from 'node:crypto'
import { type Page } from 'playwright-core'
import t from '#test'
import { visitApp, wrong } from '../support/app-page.js'
import { violations } from '../support/axe.js'
import { visit, withBrowser } from '../support/browser.js'
import { eventually, gate, held, startChat } from '../support/chat.js'
import { aheadBy } from '../support/clock.js'

const region = (page: Page, name: string) => page.getByRole('region', { name })

withBrowser(() => {
  t.test('Away: what waits, runs, is queued and ended, each a sentence; a silent turn is named and stopped', async (t) => {
    let ahead = 0
    const s = await startChat(t, { clock: aheadBy(() => ahead) })
    const over = gate()
    const slow = s.model(held(over, [{ text: 'I' }], [{ text: ' am.' }]))
    const working = await s.newSession({ model: slow, model_provider: 'openai' })
    await s.post('/api/session/rename', { session_id: working, title: 'Read all logs' })
    await s.turn(await s.newSession(), 'Say hello', s.model([{ text: 'Hello there.' }]))
    await s.send(working, 'Begin')
    await eventually('it is asked', () => s.requests(slow).length === 1)
    await s.post('/api/session/queue', { session_id: working, action: 'add', message: 'Then sum up' })
    const asking = await s.newSession({ model: s.model([{ tool: 'clarify', args: { question: 'Red or blue?', choices: ['Red', 'Blue'] } }], [{ text: 'So.' }]), model_provider: 'openai' })
    await s.send(asking, 'Paint it')
    await s.post('/api/crons/create', { name: 'Morning look', prompt: 'Look', schedule: 'every day at 9' })
    const { page, problems } = await visit(t, `${s.url}/away`)
    await page.getByText('1 waiting for you, 1 running, 1 queued and 1 finished.').waitFor()
    await region(page, 'Running').getByText('The agent is working.').waitFor()
    await region(page, 'Coming up').getByText('1 message waits for the running turn and then starts automatically.').waitFor()
    await region(page, 'Coming up').getByText(/^Next run: (?:today|tomorrow) at 9:00\.$/).waitFor()
    await region(page, 'Finished').getByText('Hello there.').waitFor()
    t.same(await violations(page), [])

    await page.getByRole('navigation', { name: 'Chats' }).getByTitle('1 queued').waitFor()
    await region(page, 'Waiting for you').getByRole('button', { name: 'Red' }).click()
    await region(page, 'Waiting for you').waitFor({ state: 'detached' })
    await eventually('it goes on', () => s.app.chat.isSettled(asking))
    ahead = 12 * 60_000
    s.app.home.lookForSilence()
    const chat = await visitApp(t, s.url, working, { width: 390, height: 844, isPhone: true })
    // The page uses its own clock, which has not advanced by twelve minutes.
    await chat.page.getByText(new RegExp(`^No activity for .*: ${slow} has not answered yet\\.$`)).waitFor()
    t.same(await violations(chat.page), [])
    await region(page, 'Running').getByText(/^No activity for .*has not answered yet\.$/).waitFor()
    await region(page, 'Running').getByRole('button', { name: 'Stop “Read all logs”' }).click()
    await region(page, 'Coming up').getByText('1 message waits for your decision because you stopped the last turn.').waitFor()
    await region(page, 'Running').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Mark all as seen' }).click()
    await region(page, 'Finished').waitFor({ state: 'detached' })
    over.open()
    t.same(wrong(problems), [])
  })

  t.test('quiet hours and the digest are set, with the time zone of the device', async (t) => {
    const s = await startChat(t)
    const { page, problems } = await visit(t, `${s.url}/settings/notifications`)
    const set = async (name: string, time: string): Promise<void> => {
      const field = page.getByLabel(name, { exact: true })
      await field.fill(time)
      await field.press('Enter')
      await page.getByText(`${name}: saved`).waitFor()
    }
    await set('Quiet hours from', '22:00')
    await set('Quiet hours until', '07:00')
    await set('Daily digest at', '08:15')
    await page.getByRole('switch', { name: 'Let approvals and questions through' }).click()
    const zone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone)
    await eventually('all of it is stored', async () => (await s.get('/api/settings')).body.push_quiet_waiting === true)
    t.match((await s.get('/api/settings')).body, { push_quiet_from: '22:00', push_quiet_until: '07:00', push_digest_at: '08:15', push_time_zone: zone })
    t.same(await violations(page), [])
    t.same(wrong(problems), [])
  })

  t.test('a hook is created, called, looked at, changed and deleted', async (t) => {
    const s = await startChat(t)
    const { page, problems } = await visit(t, `${s.url}/tasks`)
    await page.getByRole('link', { name: 'When called' }).click()
    await page.getByText('No hooks yet').waitFor()
    await page.getByRole('main').getByRole('button', { name: 'New hook' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('New issues')
    await page.getByRole('button', { name: 'issues.opened' }).click()
    await page.getByRole('button', { name: 'Add a condition' }).click()
    await page.getByRole('textbox', { name: 'Path in the body' }).fill('issue.labels.name')
    await page.getByRole('textbox', { name: 'Value', exact: true }).fill('bug')
    await page.getByRole('button', { name: 'Use the example' }).click()
    await page.getByText('Preview', { exact: true }).click()
    await page.getByText(/Look into the issue "Search finds nothing" in "me\/site"/).waitFor()
    await page.getByText('Such a call starts a run.').waitFor()
    t.same(await violations(page), [])
    await page.getByRole('button', { name: 'Create hook' }).click()
    const secret = await page.locator('.hook-secret code').innerText()
    t.match(secret, /^[\da-f]{64}$/)
    const [hook] = (await s.get('/api/hooks')).body.hooks
    await page.getByText(`${s.url}/api/hooks/${hook.id as string}`, { exact: true }).waitFor()
    await page.getByText('Nobody has called it yet.').waitFor()
    t.same(await violations(page), [])
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.locator('.hook-secret').waitFor({ state: 'detached' })

    const model = s.model([{ text: 'I looked.' }])
    await s.post('/api/hooks/update', { id: hook.id, model, provider: 'openai' })
    const call = async (key: string, labels: string[]): Promise<void> => {
      const body = JSON.stringify({ action: 'opened', issue: { title: 'It breaks', labels: labels.map((name) => ({ name })) }, repository: { full_name: 'me/app' } })
      const signature = `sha256=${createHmac('sha256', key).update(body).digest('hex')}`
      await fetch(`${s.url}/api/hooks/${hook.id as string}`, { method: 'POST', body, headers: { 'content-type': 'application/json', 'x-github-event': 'issues', 'x-hub-signature-256': signature } })
    }
    await call('wrong', ['bug'])
    await call(secret, ['other'])
    await call(secret, ['bug'])
    const calls = region(page, 'Last calls')
    await calls.getByText('run done').waitFor()
    await calls.getByText('started nothing: a condition does not hold').waitFor()
    await calls.getByText('refused: not signed with the secret').waitFor()
    t.same(await violations(page), [])

    await page.getByRole('button', { name: 'Actions for New issues' }).click()
    await page.getByRole('menuitem', { name: 'Make a new secret' }).click()
    t.not(await page.locator('.hook-secret code').innerText(), secret)
    await page.getByRole('button', { name: 'Actions for New issues' }).click()
    await page.getByRole('menuitem', { name: 'Pause' }).click()
    await eventually('it is paused', async () => (await s.get('/api/hooks')).body.hooks[0].enabled === false)
    await page.getByRole('button', { name: 'Undo' }).click()
    await eventually('it is on again', async () => (await s.get('/api/hooks')).body.hooks[0].enabled === true)
    await page.getByRole('button', { name: 'Actions for New issues' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByText('No hooks yet').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name: /New issues/ }).click()
    await calls.getByRole('link', { name: 'Open the chat' }).click()
    await page.getByText('I looked.').waitFor()
    t.same(wrong(problems), [])
  })
})
