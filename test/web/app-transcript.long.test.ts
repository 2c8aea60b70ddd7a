import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { compressionMark } from '../../services/agent/engines/quoted-conversation.js'
import { answer, answers, appAddress, approval, choose, converse, count, live, log, running, say, sent, settled, visitApp, wrong } from '../support/app-page.js'
import { start } from '../support/app.js'
import { violations } from '../support/axe.js'
import { visit, withBrowser } from '../support/browser.js'
import { eventually, gate, held, said, startChat, type ScriptedAnswer } from '../support/chat.js'
import { modelEndpoint } from '../support/model-endpoint.js'

withBrowser(() => {
  t.test('a model: safe Markdown, a retry that replaces what was heard, a failure with what to do', async (t) => {
    const s = await start(t)
    const endpoint = await modelEndpoint(t, { models: ['fault-cut-text-once'] })
    const setModel = (id: string): void => writeFileSync(join(s.folder, 'home', 'config.yaml'), `model:\n  default: ${id}\n  base_url: ${endpoint.url}\n`)
    setModel('fault-cut-text-once')
    endpoint.script(() => [
      { reasoning: 'Let me think.' },
      { text: '# Plan\n\nUse **bold**, `<b>` and [this](https://example.org/a) or [that](javascript:alert(1)). See `src/a.ts:3`.\n\n```js\nlet a = "<img src=x>"\n```\n<img src=x onerror=alert(1)>' }
    ])
    const { page, problems } = await visitApp(t, s.url)
    await converse(page, 'go <b>on</b>')
    const text = answer(page)
    await text.getByRole('heading', { name: 'Plan' }).waitFor()
    t.equal(await count(page, 'breaks off'), 0)
    t.equal(await text.locator('strong').innerText(), 'bold')
    t.equal(await text.locator('pre code').innerText(), 'let a = "<img src=x>"')
    t.equal(await text.getByRole('link').count(), 1)
    t.match(await text.getByRole('link').getAttribute('rel'), /noopener.*noreferrer/)
    t.equal(await log(page).locator('img, b').count(), 0)
    t.match(await sent(page).innerText(), 'go <b>on</b>')
    t.equal(await page.getByText('Let me think.').isVisible(), false, 'reasoning is folded')
    await log(page).getByText('Reasoning', { exact: true }).first().click()
    await page.getByText('Let me think.').waitFor()
    await text.getByRole('button', { name: 'src/a.ts:3' }).click()
    await page.getByRole('tab', { name: 'Preview', selected: true }).waitFor()
    t.same(wrong(problems, '404'), [], 'a file that is not there')

    setModel('fault-401')
    const other = await visitApp(t, s.url)
    await converse(other.page, 'hello')
    await other.page.getByRole('note').getByRole('button', { name: 'Try again' }).waitFor()
    t.equal(await answers(other.page).count(), 0)
    t.equal(await other.page.getByRole('note').locator('p').innerText(), `${new URL(endpoint.url).host} refused the API key.`, 'an address without a name is named by its host')
    t.equal(await other.page.getByRole('button', { name: 'Try again', exact: true }).count(), 1, 'there is one way to try again')
    t.equal(await other.page.getByRole('button', { name: 'Copy the answer' }).count(), 0, 'no answer can be copied')
    for (const scheme of ['light', 'dark'] as const) {
      await other.page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
      t.same(await violations(other.page), [], `failed, ${scheme}`)
    }
    setModel('fault-cut-text-once')
    await other.page.getByRole('note').getByRole('button', { name: 'Try again' }).click()
    await answer(other.page).getByRole('heading', { name: 'Plan' }).waitFor()
    t.equal(await sent(other.page).count(), 1, 'nothing twice')
  })

  t.test('a turn that changes a file: the change can be looked at and taken back, after a reload too', async (t) => {
    const s = await start(t)
    const { page, problems } = await visitApp(t, s.url)
    await say(page, 'write notes.md: one')
    await approval(page).getByRole('button', { name: 'Allow once' }).click()
    await settled(page)
    await page.getByText('1 file changed').last().waitFor()
    await page.reload()
    const changed = page.getByRole('region', { name: '1 file changed' })
    await changed.getByText('+1', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByText('Changes undone.').waitFor()
    t.same((await s.get(`/api/list?session_id=${new URL(page.url()).pathname.split('/').at(-1)}&path=.`)).body.entries?.map(({ name }: { name: string }) => name) ?? [], [])
    await choose(page, page.getByRole('button', { name: 'Chat actions', exact: true }), 'Undo the last exchange')
    await sent(page).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Open the earlier version' }).click()
    await sent(page).getByText('write notes.md: one').waitFor()
    t.same(wrong(problems), [])
  })

  t.test('a retry and an edit keep the chat, and every version of an answer is paged to at the answer; what is selected is quoted', async (t) => {
    const s = await startChat(t)
    const model = s.model([{ text: 'First.' }], [{ text: 'Second.' }], [{ text: 'By the way.' }], [{ text: 'Third.' }])
    const id = await s.newSession({ model, model_provider: 'openai' })
    await s.post('/api/session/rename', { session_id: id, title: 'A talk' })
    const { page, problems } = await visitApp(t, s.url, id)
    await converse(page, 'Say it')
    await page.getByRole('button', { name: 'Try again', exact: true }).click()
    await answer(page).getByText('Second.').waitFor()
    await settled(page)
    const versions = page.getByRole('group', { name: 'Versions of this answer' })
    const at = async (): Promise<string> => (await versions.innerText()).replace(/\s/g, '')
    await eventually('both', async () => await at() === '2/2')
    t.equal(new URL(page.url()).pathname, `/session/${id}`)
    await versions.getByRole('button', { name: 'Earlier version' }).click()
    await answer(page).getByText('First.').waitFor()
    t.equal(await at(), '1/2')
    t.equal(await page.getByRole('banner').getByRole('heading', { level: 1 }).innerText(), 'A talk')
    await page.reload()
    await answer(page).getByText('First.').waitFor()
    await versions.getByRole('button', { name: 'Later version' }).click()
    await answer(page).getByText('Second.').waitFor()
    t.equal(new URL(page.url()).pathname, `/session/${id}`)

    await converse(page, 'And then')
    await choose(page, page.getByRole('button', { name: 'Actions', exact: true }).first(), 'Edit and send again')
    await page.getByRole('textbox', { name: 'Edit and send again' }).fill('Say it otherwise')
    await page.locator('.bubble-edit').getByRole('button', { name: 'Send' }).click()
    await answer(page).getByText('Third.').waitFor()
    await settled(page)
    await eventually('all three', async () => await at() === '3/3')
    await versions.getByRole('button', { name: 'Earlier version' }).click()
    await answer(page).getByText('By the way.').waitFor()
    await eventually('the second of three', async () => await at() === '2/3')
    await versions.getByRole('button', { name: 'Earlier version' }).click()
    await answer(page).getByText('First.').waitFor()
    t.equal(await at(), '1/3')
    t.equal(((await s.get('/api/sessions')).body.sessions as Array<{ title: string }>).some(({ title }) => title.includes('fork')), false)

    await page.evaluate(`(() => {
      const range = document.createRange()
      range.selectNodeContents(document.querySelector('.answer p'))
      getSelection().removeAllRanges()
      getSelection().addRange(range)
    })()`)
    await page.getByRole('button', { name: /^Quote/ }).click()
    t.equal(await page.locator('#message').inputValue(), '> First.\n\n')
    await page.evaluate('getSelection().selectAllChildren(document.querySelector(".answer p")); document.activeElement.blur()')
    await page.keyboard.press('q')
    await eventually('by key as well', async () => await page.locator('#message').inputValue() === '> First.\n\n> First.\n\n')
    t.same(wrong(problems), [])
  })

  t.test('what belongs to an answer: its files in place, one that is not there in a sentence, and what was opened stays open when it is scrolled away', async (t) => {
    const s = await start(t)
    writeFileSync(join(s.workspace, 'dot.svg'), '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20"/></svg>')
    writeFileSync(join(s.workspace, 'report.pdf'), '%PDF-1.4')
    const call = { id: 'one', type: 'function', function: { name: 'read_file', arguments: '{"path":"a.txt"}' } }
    const messages = [
      { role: 'user', content: 'Make them' }, { role: 'assistant', content: '', tool_calls: [call] }, { role: 'tool', tool_call_id: 'one', content: 'What was in it.' },
      { role: 'assistant', content: 'See ![dot](dot.svg), `report.pdf` and [film](film.mp4).' },
      ...Array.from({ length: 40 }, (_, index) => [{ role: 'user', content: `Question ${index}` }, { role: 'assistant', content: `Answer ${index}. ${'Words. '.repeat(200)}` }]).flat()
    ]
    const { body: { session } } = await s.post('/api/session/import', { messages })
    const { page, problems } = await visit(t, appAddress(s.url, session.session_id))
    await answer(page).getByText('Answer 39.').waitFor()
    const goTo = async (text: string): Promise<void> => {
      await log(page).focus()
      await page.keyboard.press('o')
      await page.getByRole('combobox', { name: 'Search the outline' }).fill(text)
      await page.keyboard.press('Enter')
      await log(page).getByText(text, { exact: true }).waitFor()
    }
    await goTo('Make them')
    const files = page.getByRole('list', { name: 'Files from this answer' })
    await eventually('the picture is drawn', async () => await files.getByRole('img', { name: 'dot.svg' }).evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth === 40))
    await files.getByRole('button', { name: 'Open report.pdf in a new tab' }).waitFor()
    await files.getByText('film.mp4 cannot be shown').waitFor()
    t.same(await files.locator('li').evaluateAll((items) => items.map((item) => item.clientHeight > 40)), [true, true, true])
    await page.getByText('Read 1 file').click()
    await page.locator('.call summary').click()
    await page.getByText('What was in it.').waitFor()
    await goTo('Question 39')
    await page.getByText('What was in it.').waitFor({ state: 'detached' })
    await goTo('Make them')
    await page.getByText('What was in it.').waitFor()
    t.same(wrong(problems).filter((problem) => !problem.includes('404')), [])
  })

  t.test('a sub-agent: shown live, without a box to write in, with the way back to its chat', async (t) => {
    const s = await startChat(t)
    const wait = gate()
    const isChild = (request: { tools: string[] }): boolean => !request.tools.includes('delegate')
    const steps = [[{ tool: 'delegate', args: { task: 'Count the <b>files</b>' } }], [{ text: 'There are seven.' }]]
    const model = s.model(...Array.from({ length: 9 }, (): ScriptedAnswer => (request) => isChild(request) ? held(wait, [{ text: 'I am counting' }], [{ text: ', seven.' }]) : steps.shift()!))
    const parent = await s.newSession({ model, model_provider: 'openai' })
    await s.send(parent, 'How many files?')
    const child = await eventually('its sub-agent', async () => ((await s.get('/api/sessions')).body.sessions as Array<{ session_id: string, parent_session_id: string | null }>).find(({ parent_session_id: of }) => of === parent)?.session_id)
    const { page, problems } = await visit(t, appAddress(s.url, child))
    await live(page).getByText('I am counting').waitFor()
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
      t.same(await violations(page), [], `running, ${scheme}`)
    }
    t.equal(await page.getByRole('textbox', { name: 'Message', exact: true }).count(), 0)
    wait.open()
    await running(page).waitFor({ state: 'detached' })
    t.match(await answer(page).innerText(), 'I am counting, seven.')
    await page.getByRole('link', { name: 'Open the parent chat' }).click()
    await answer(page).getByText('There are seven.').waitFor()
    t.equal(await page.getByRole('textbox', { name: 'Message', exact: true }).isVisible(), true)
    t.same(wrong(problems), [])
  })

  t.test('a chat that is summarised for the model: it says so, up to where, and shows the summary', async (t) => {
    const s = await startChat(t)
    writeFileSync(join(s.folder, 'home', 'config.yaml'), 'model:\n  provider: openai\n  default: small\n  context_length: 4000\n')
    let turns = 0
    s.endpoint.script((request) => {
      if (said(request, 'system').concat(said(request, 'developer')).some((text) => text.startsWith(compressionMark))) return [{ text: 'They **spoke** of <b>bridges</b>.' }]
      if (!request.stream) return [{ text: 'A title' }]
      return [{ text: `Answer ${++turns}. ${'word '.repeat(300)}` }, { usage: { input: turns * 400, output: 10 } }]
    })
    const id = await s.newSession()
    for (let turn = 1; turn <= 6; turn++) await s.turn(id, `Question ${turn}`)
    const { page, problems } = await visit(t, appAddress(s.url, id))
    await answer(page).getByText('Answer 6.').waitFor()
    await log(page).hover()
    const divider = log(page).getByRole('note', { name: 'Summary' })
    await eventually('the place where the summary ends', async () => {
      await page.mouse.wheel(0, -400)
      return await divider.count() === 1
    })
    t.equal(await page.getByText('of <b>bridges</b>.').count(), 0)
    // What is scrolled out of view and back is drawn again, and folded.
    await eventually('the summary', async () => {
      if (await divider.locator('details[open]').count() === 0) await divider.locator('summary').click()
      return await divider.locator('strong').count() === 1
    })
    t.equal(await divider.locator('strong').innerText(), 'spoke')
    t.match(await divider.innerText(), 'of <b>bridges</b>.')
    t.same(wrong(problems), [])
  })

  t.test('a long transcript: quick to open, read back page by page while the place is kept, found again where it was left', async (t) => {
    const s = await start(t)
    const messages = Array.from({ length: 2_000 }, (_, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: index % 2 === 0 ? `Question ${index / 2}` : `Answer ${(index - 1) / 2}.\n\n${'Some words about it. '.repeat(index % 60)}` }))
    const imported = await s.post('/api/session/import', { title: 'The long one', messages })
    t.equal(imported.status, 200, imported.text)
    const id = imported.body.session.session_id as string
    await s.send(await s.newSession(), 'Another')
    const { page, problems } = await visit(t, appAddress(s.url, id))
    await answer(page).getByText('Answer 999.').waitFor()
    const fromEnd = await log(page).evaluate((element) => element.scrollHeight - element.clientHeight - element.scrollTop)
    t.ok(fromEnd < 30, `it opens at its end, not ${fromEnd} before it`)
    const nodes = await page.evaluate<number>('document.querySelectorAll("*").length')
    t.ok(nodes < 5_000, `${nodes} elements`)
    const looks = await page.locator('[data-exchange]').last().evaluate((exchange: any) => { // eslint-disable-line @typescript-eslint/no-explicit-any -- elements are unknown here
      const item = exchange.parentElement
      const { visibility } = item.style
      item.style.visibility = 'hidden'
      const seen = ['visibility', 'opacity'].map((name) => item.computedStyleMap().get(name).toString())
      item.style.visibility = visibility
      return seen
    })
    t.same(looks, ['visible', '0'], 'an exchange that is not measured yet is hidden by nothing that its elements inherit')

    await log(page).hover()
    const seen = new Set<string>()
    for (let step = 0; step < 60 && !seen.has('Question 960'); step++) {
      const before = await place()
      await page.mouse.wheel(0, -300)
      await page.waitForTimeout(50)
      const after = await place()
      for (const name of Object.keys(after)) seen.add(name)
      const common = Object.keys(before).find((name) => name in after)
      if (common !== undefined) t.ok(after[common]! - before[common]! > -60 && after[common]! - before[common]! < 700, `${common} moved by ${after[common]! - before[common]!}`)
    }
    t.ok(seen.has('Question 960'), 'earlier pages were read')
    await page.getByRole('link', { name: /Another/ }).click()
    await sent(page).getByText('Another', { exact: true }).waitFor()
    await page.goBack()
    await log(page).getByText('Question 999', { exact: true }).waitFor({ state: 'attached' })
    await log(page).hover()
    await page.mouse.wheel(0, -900)
    await page.getByRole('button', { name: 'Scroll to the end' }).waitFor()
    await page.waitForTimeout(300)
    const left = await place()
    await page.getByRole('link', { name: /Another/ }).click()
    await sent(page).getByText('Another', { exact: true }).waitFor()
    await page.goBack()
    await eventually('the place where it was left', async () => {
      const now = await place()
      return Object.entries(left).some(([name, top]) => Math.abs((now[name] ?? Infinity) - top) < 20)
    })
    await page.getByRole('button', { name: 'Scroll to the end' }).click()
    await eventually('the end', async () => await answer(page).getByText('Answer 999.').isVisible())

    await log(page).focus()
    await page.keyboard.press('o')
    const outline = page.getByRole('dialog', { name: 'Outline' })
    await outline.getByRole('option', { name: /^Question 999/ }).getByText('You are here').waitFor()
    t.same(await violations(page), [])
    await outline.getByRole('combobox').fill('question 700')
    await page.keyboard.press('Enter')
    await outline.waitFor({ state: 'detached' })
    await log(page).getByText('Question 700', { exact: true }).waitFor()
    await eventually('the message is at the top of the view', async () => {
      const top = (await place())['Question 700'] ?? Infinity
      return top > 0 && top < 300
    })
    await page.keyboard.press('o')
    await outline.getByRole('option', { name: /^Question 700/ }).getByText('You are here').waitFor()
    await page.keyboard.press('Escape')
    await outline.waitFor({ state: 'detached' })
    t.same(wrong(problems), [])

    /** Returns the positions of the messages in view. */
    async function place (): Promise<Record<string, number>> {
      return await log(page).evaluate((element) => Object.fromEntries([...element.querySelectorAll('.bubble-text')].map((text) => [text.textContent, Math.round(text.getBoundingClientRect().top)]).filter(([, top]) => Number(top) > -200 && Number(top) < 1000)) as Record<string, number>)
    }
  })
})
