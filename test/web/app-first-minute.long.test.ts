import { chmodSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type Page } from 'playwright-core'
import t, { type Test } from '#test'
import { asset } from '../../services/ground/assets.js'
import { setup as chinese } from '../../web/src/words/zh/setup.js'
import { prompts as chinesePrompts } from '../../web/src/words/zh/prompts.js'
import { start } from '../support/app.js'
import { violations } from '../support/axe.js'
import { visit, withBrowser } from '../support/browser.js'
import { eventually } from '../support/chat.js'
import { modelEndpoint, startModelEndpoint, type ModelEndpoint } from '../support/model-endpoint.js'

const goodKey = 'sk-ant-a-good-key-of-somebody'
const turn = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).last()
const more = (page: Page) => page.getByRole('heading', { name: 'The demo can show you more' })
const answered = (page: Page, text: string) => page.locator('.answer', { hasText: text }).last().waitFor()

/** Starts a provider that accepts one key; the service finds it at Anthropic's address. */
async function anthropic (t: Test): Promise<ModelEndpoint> {
  const endpoint = await startModelEndpoint({ models: ['claude-sonnet-4-5'] })
  endpoint.script(() => [{ text: 'Hello from the real one.' }])
  const { fetch } = globalThis
  globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (url.host !== 'api.anthropic.com') return await fetch(input, init)
    if (new Headers(init?.headers).get('x-api-key') !== goodKey) {
      return Response.json({ type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } }, { status: 401 })
    }
    return await fetch(new URL(endpoint.url).origin + url.pathname + url.search, init)
  }
  t.teardown(() => { globalThis.fetch = fetch })
  t.teardown(() => endpoint.close())
  return endpoint
}

withBrowser(() => {
  for (const device of ['desk', 'phone'] as const) {
    t.test(`the demo shows a change, a question, a long answer and a task, and each answer offers the others: ${device}`, async (t) => {
      const s = await start(t)
      const { page, problems } = await visit(t, s.url, device === 'phone' ? { width: 390, height: 844, isPhone: true } : {})
      await page.getByRole('heading', { name: 'Try it without a model' }).waitFor()
      t.same(await violations(page), [])
      const file = join(s.workspace, 'demo-list.md')

      await turn(page, 'Show me a change I approve').click()
      for (const change of ['Packing list', '- [x] Passport']) {
        await page.getByText(change).last().waitFor()
        await page.getByRole('button', { name: /^Allow once/ }).click()
      }
      await more(page).waitFor()
      t.match(readFileSync(file, 'utf8'), '- [x] Passport')
      t.same(await violations(page), [])
      if (device === 'desk') {
        // The folder of a new user is not a repository: the checkpoint shows what changed.
        await page.getByRole('button', { name: 'Review' }).click()
        await page.getByText('This folder is not under version control. Since the checkpoint of').waitFor()
        await page.locator('.checkpoint-since').getByText('- [x] Passport').waitFor()
      }
      await page.getByRole('button', { name: 'Undo' }).click()
      const confirm = page.getByRole('dialog').getByRole('button', { name: 'Undo' })
      await eventually('the file to be taken back', async () => {
        if (await confirm.isVisible()) await confirm.click()
        return !readdirSync(s.workspace).includes('demo-list.md')
      })

      await turn(page, 'Show me a question').click()
      await page.getByRole('button', { name: '30 days' }).click()
      await answered(page, 'You answered 30 days')
      await more(page).waitFor()

      await turn(page, 'Show me a long answer with a table and code').click()
      await more(page).waitFor()
      const long = page.locator('.answer').last()
      for (const part of ['table', 'pre', 'math', 'ol', 'blockquote']) await long.locator(part).first().waitFor()

      await turn(page, 'Show me a task every morning').click()
      await page.getByRole('button', { name: /^Allow once/ }).click()
      await answered(page, 'runs every morning at 8:00')
      t.match((await s.get('/api/crons')).body.jobs, [{ name: 'Good morning' }])

      await page.fill('#message', 'What can you do?')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await answered(page, 'I cannot answer free text')
      await more(page).waitFor()
      t.same(problems.filter((problem) => !problem.includes('/api/providers/discover')), [])
    })
  }

  t.test('the tour is in the language of the app', async (t) => {
    const s = await start(t)
    await s.post('/api/settings', { language: 'zh' })
    const { page } = await visit(t, s.url)
    const [change, question] = chinese.tourTurns as [string, string]
    await turn(page, change).click()
    await page.getByText('行李清单').last().waitFor()
    await page.getByRole('button', { name: chinesePrompts.deny }).click()
    await answered(page, '什么都没有写入')
    await turn(page, question).click()
    await page.getByRole('button', { name: '7 天' }).click()
    await answered(page, '7 天')
  })

  t.test('a pasted key and one button are enough; a refused one is named, and a turn is spent only when it is asked for', async (t) => {
    const endpoint = await anthropic(t)
    const lines: string[] = []
    const s = await start(t, { log: (line) => { lines.push(JSON.stringify(line)) } })
    const { page } = await visit(t, s.url)
    const field = page.getByLabel('Paste a key')
    const paste = async (text: string): Promise<void> => {
      await field.focus()
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.insertText(text)
    }
    await paste('gsk_abcdefgh12345678')
    await page.keyboard.press('Enter')
    await page.getByText('This looks like a key of Groq.').waitFor()
    await paste('sk-ant-a-wrong-one')
    await page.getByText('A key of Anthropic.').waitFor()
    await page.getByRole('button', { name: 'Check the key' }).click()
    await page.getByRole('alert').getByText('Anthropic refused this key.').waitFor()
    t.same(await violations(page), [])

    // What a new person has to do: paste, and press one button.
    await paste(`export ANTHROPIC_API_KEY="${goodKey}"`)
    await page.getByRole('button', { name: 'Check the key' }).click()
    await page.getByRole('heading', { name: 'Anthropic is connected.' }).waitFor()
    await page.getByText('answers from now on').waitFor()
    t.same(await violations(page), [])
    const asked = () => endpoint.requests.filter(({ method }) => method === 'POST').length
    t.equal(asked(), 0, 'nothing is spent unasked')
    t.equal(await page.evaluate('document.activeElement.textContent'), 'Say hello')
    await page.keyboard.press('Enter')
    await answered(page, 'Hello from the real one.')
    t.ok(asked() > 0)
    t.equal(await more(page).count(), 0, 'the demo is gone')

    const kept = await page.evaluate<string>('JSON.stringify({ ...localStorage }) + document.documentElement.outerHTML')
    for (const text of [kept, lines.join('\n'), (await s.get('/api/drafts')).text]) t.notMatch(text, goodKey)
    t.match(readFileSync(join(s.folder, 'home', '.env'), 'utf8'), goodKey)
  })

  t.test('a chat of the demo goes on with a model that is connected in it', async (t) => {
    await anthropic(t)
    const s = await start(t)
    const { page } = await visit(t, s.url)
    await page.getByRole('button', { name: 'Later' }).click()
    await page.getByText('Later. It’s in Models.').waitFor()
    await page.getByLabel('Paste a key').waitFor({ state: 'detached' })
    await turn(page, 'Show me a long answer with a table and code').click()
    await page.getByRole('button', { name: 'Connect a model' }).click()
    await page.getByLabel('Paste a key').fill(goodKey)
    await page.getByRole('button', { name: 'Check the key' }).click()
    await page.getByRole('button', { name: 'Say hello' }).click()
    await answered(page, 'Hello from the real one.')
    t.equal(await page.locator('.setup-card').count(), 0)
  })

  t.test('a model server and an agent that are found on this machine are one button each', async (t) => {
    const endpoint = await modelEndpoint(t, { models: ['toy-1'] })
    const programs = mkdtempSync(join(tmpdir(), 'programs-'))
    const goose = join(programs, 'goose')
    writeFileSync(goose, `#!/bin/sh\nAGENT_MODES=approve,chat exec '${process.execPath}' '${asset('test/support/acp/agent.js')}'\n`)
    chmodSync(goose, 0o755)
    const env = {
      PATH: [programs, process.env.PATH].join(delimiter), SVC_WEBUI_PROBE_LOCAL: '1', SVC_WEBUI_PROBE_PORTS: new URL(endpoint.url).port
    }
    const s = await start(t, { env })
    const { page } = await visit(t, s.url)
    const card = page.locator('.setup-found')
    await card.getByText('runs on this machine').waitFor()
    await card.getByText('goose is installed on this machine').waitFor()
    t.same(await violations(page), [])
    await card.getByRole('button', { name: 'Use it: goose' }).click()
    await page.getByRole('heading', { name: 'goose is connected.' }).waitFor()
    t.match((await s.get('/api/models')).body, { active_provider: 'goose' })
  })
})
