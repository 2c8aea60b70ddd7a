import { strToU8, zipSync } from 'fflate'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { violations } from '../support/axe.js'
import { visit, withBrowser } from '../support/browser.js'
import { eventually, said, startChat } from '../support/chat.js'
import { emptyRepository } from '../support/git-repository.js'

const middle = Array.from({ length: 14 }, (_, at) => `line ${at + 3}\n`).join('')

/** Pictures of one pixel and of four. */
const dots = [
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg=='
].map((text) => Buffer.from(text, 'base64'))

/** Creates a chat whose last turn has changed two files of a repository. */
async function changedChat (t: Test) {
  const s = await startChat(t)
  const root = join(s.workspace, 'app')
  const repository = emptyRepository(root)
  repository.write('src/a.txt', `one\n${middle}two\n`)
  repository.commitAll('First')
  const model = s.model([
    { tool: 'write_file', args: { path: 'src/a.txt', content: `ONE\n${middle}TWO\n` } }, { tool: 'write_file', args: { path: 'src/b.ts', content: 'export const b = 2\n' } }
  ], [{ text: 'I have shouted.' }], [{ text: '[r1] Sure.' }])
  const id = await s.newSession({ workspace: root, model, model_provider: 'openai' })
  await s.post('/api/session/yolo', { session_id: id, enabled: true })
  await s.turn(id, 'Shout')
  return { s, id, root, model, repository }
}

withBrowser(() => {
  for (const width of [1_280, 820, 390, 320]) {
    t.test(`a line of the change card takes a comment, and the review is sent from there, ${width} pixels wide`, async (t) => {
      const { s, id, model } = await changedChat(t)
      const { page, problems } = await visit(t, `${s.url}/session/${id}`, { width, isPhone: width < 1_000 })
      const card = page.getByRole('region', { name: '2 files changed' })
      await card.getByRole('button', { name: /^a\.txt/ }).click()
      await card.getByRole('button', { name: 'Comment on line 1', exact: true }).last().click()
      await card.getByRole('textbox', { name: 'Comment on line 1' }).fill('Why so loud?')
      await card.getByRole('button', { name: 'Add to review' }).click()
      await card.locator('.diff-below').getByText('Why so loud?').waitFor()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        t.same(await violations(page), [], colorScheme)
      }
      t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
      await card.getByRole('button', { name: 'Send 1 comment' }).click()
      await page.getByText('[r1] Sure.').waitFor()
      t.match(said(s.requests(model).at(-1), 'user').at(-1), /`src\/a\.txt`, line 1\n\n```\nONE\n```\n\n> Why so loud\?/)
      // The diff stays what that turn made, with the comment in its original place.
      await card.locator('.diff-below').getByText('Why so loud?').waitFor()
      t.same(problems, [])
    })
  }

  t.test('the keys of a review work in the card, and a file that changes again is not seen any more', async (t) => {
    const { s, id, root } = await changedChat(t)
    const { page, problems } = await visit(t, `${s.url}/session/${id}`)
    const card = page.getByRole('region', { name: '2 files changed' })
    const row = (name: string) => card.getByRole('button', { name: new RegExp(`^${name}`) })
    await row('a.txt').focus()
    await page.keyboard.press('Enter')
    await card.getByText('ONE', { exact: true }).waitFor()
    await page.keyboard.press('c')
    await card.getByRole('textbox', { name: 'Comment on line 1' }).waitFor()
    await page.keyboard.press('Escape')
    await row('a.txt').focus()
    await page.keyboard.press('j')
    await card.getByText('export const b = 2').waitFor()
    t.equal(await card.locator('.diff').count(), 1, 'the one before is closed')
    await page.keyboard.press('k')
    await page.keyboard.press('n')
    await page.keyboard.press('p')
    await card.getByText('ONE', { exact: true }).waitFor()
    await page.keyboard.press('a')
    await card.locator('[data-change="src/a.txt"]').getByRole('img', { name: 'Seen' }).waitFor()
    writeFileSync(join(root, 'src/a.txt'), 'Something else\n')
    await s.post('/api/session/reviews', { session_id: id, comments: [{ path: 'src/b.ts', line: 1, text: 'From another device' }] })
    await card.getByText('1 comment', { exact: true }).waitFor()
    await eventually('not seen', async () => await card.getByRole('img', { name: 'Seen' }).count() === 0)
    await page.keyboard.press('x')
    await eventually('it is gone', () => { try { readFileSync(join(root, 'src/b.ts')); return false } catch { return true } })
    await page.locator('.toast').getByRole('button', { name: 'Redo' }).click()
    await eventually('it is back', () => { try { return readFileSync(join(root, 'src/b.ts'), 'utf8') === 'export const b = 2\n' } catch { return false } })
    t.equal(readFileSync(join(root, 'src/a.txt'), 'utf8'), 'Something else\n')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('In changed files: comment on the change').waitFor()
    t.equal(execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }), ' M src/a.txt\n?? src/b.ts\n')
    t.same(problems, [])
  })

  const square = (colour: string, side: number): string =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}"><script>parent.wasRun = top.wasRun = 1</script><rect width="100%" height="100%" fill="${colour}" onload="top.wasRun = 2"/></svg>\n`

  for (const width of [1_280, 390]) {
    t.test(`changed pictures are shown beside each other, before and after, ${width} pixels wide`, async (t) => {
      const s = await startChat(t)
      const root = join(s.workspace, 'app')
      const repository = emptyRepository(root)
      repository.write('logo.svg', square('red', 40))
      repository.write('dot.png', dots[0])
      repository.write('old-name.txt', middle)
      repository.commitAll('First')
      const model = s.model([{ tool: 'write_file', args: { path: 'logo.svg', content: square('blue', 60) } }], [{ tool: 'terminal', args: { command: 'mv old-name.txt new-name.txt' } }], [{ text: 'Done.' }])
      const id = await s.newSession({ workspace: root, model, model_provider: 'openai' })
      await s.post('/api/session/yolo', { session_id: id, enabled: true })
      await s.turn(id, 'Another logo')
      writeFileSync(join(root, 'dot.png'), dots[1]!)
      const { page, problems } = await visit(t, `${s.url}/session/${id}`, { width, isPhone: width < 1_000 })
      const card = page.getByRole('region', { name: '1 file changed' })
      await card.getByRole('button', { name: /^logo\.svg/ }).click()
      const sides = card.getByRole('figure')
      await sides.filter({ hasText: /^Before40 × 40 px\d+ B$/ }).waitFor()
      await sides.filter({ hasText: /^After60 × 60 px\d+ B$/ }).waitFor()
      await card.getByText('fill="blue"').waitFor()
      t.equal(await page.evaluate('window.wasRun'), undefined, 'nothing of a picture runs')
      t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))

      await card.getByRole('button', { name: 'Review', exact: true }).click()
      const list = page.getByRole('tabpanel')
      await list.getByRole('button', { name: /dot\.png/ }).first().click()
      await list.getByRole('figure').filter({ hasText: /^Before1 × 1 px\d+ B$/ }).waitFor()
      await list.getByRole('figure').filter({ hasText: /^After2 × 2 px\d+ B$/ }).waitFor()
      const [before, after] = await Promise.all([0, 1].map(async (at) => await list.getByRole('figure').nth(at).boundingBox()))
      t.equal(after!.y > before!.y, width < 1_000, 'beside each other where there is room, else stacked')
      // The picture of the answer itself is named twice, as elsewhere.
      t.same((await violations(page)).filter((one) => !one.includes('.result-medium')), [])
      await page.getByRole('tab', { name: 'Checkpoints' }).click()
      await page.getByRole('button', { name: 'Compare' }).first().click()
      await page.getByText('was old-name.txt').first().waitFor()
      t.same(problems, [])
    })
  }

  for (const width of [1_280, 390]) {
    t.test(`the difference of a single call takes comments, ${width} pixels wide`, async (t) => {
      const s = await startChat(t)
      const root = join(s.workspace, 'app')
      const repository = emptyRepository(root)
      repository.write('src/a.txt', `one\n${middle}TWO\n`)
      repository.commitAll('First')
      const model = s.model([{ tool: 'edit_file', args: { path: 'src/a.txt', old_string: 'one', new_string: 'ONE' } }], [{ text: 'Louder.' }], [{ text: '[r1] Sure.' }])
      const id = await s.newSession({ workspace: root, model, model_provider: 'openai' })
      await s.post('/api/session/yolo', { session_id: id, enabled: true })
      await s.turn(id, 'Shout')
      const { page, problems } = await visit(t, `${s.url}/session/${id}`, { width, isPhone: width < 1_000 })
      await page.locator('.work > summary').first().click()
      const call = page.locator('.call').filter({ hasText: 'src/a.txt' }).first()
      await call.locator('summary').first().click()
      await call.getByRole('button', { name: 'Comment on line 1', exact: true }).last().click()
      await call.getByRole('textbox', { name: 'Comment on line 1' }).fill('Softly')
      await call.getByRole('button', { name: 'Add to review' }).click()
      await call.locator('.diff-below').getByText('Softly').waitFor()
      const { comments: [draft] } = (await s.get(`/api/session/reviews?session_id=${id}`)).body
      t.match(draft, { path: 'src/a.txt', line: 1, quote: ['ONE'], state: 'draft', place: { path: 'src/a.txt', line: 1, found: 'here' } })
      t.same(await violations(page), [])
      t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
      // The file has changed by now: the comment follows its line.
      writeFileSync(join(root, 'src/a.txt'), `zero\nONE\n${middle}TWO\n`)
      await call.getByRole('button', { name: 'Send 1 comment' }).click()
      await page.getByText('[r1] Sure.').waitFor()
      t.match(said(s.requests(model).at(-1), 'user').at(-1), /`src\/a\.txt`, line 2\n\n```\nONE\n```\n\n> Softly/)
      t.same(problems, [])
    })

    t.test(`office documents and notebooks show what has changed in their text, ${width} pixels wide`, async (t) => {
      const s = await startChat(t)
      const root = join(s.workspace, 'app')
      const repository = emptyRepository(root)
      repository.write('letter.odt', odt('Dear Ada', 'See you.'))
      repository.write('damaged.odt', Buffer.from('PK\0'))
      repository.write('steps.ipynb', notebook('x = 1'))
      repository.commitAll('First')
      for (const [name, bytes] of [['new.odt', odt('Dear Bob', 'See you.')], ['next.ipynb', Buffer.from(notebook('x = 2'))]] as const) writeFileSync(join(s.workspace, name), bytes)
      const model = s.model([{ tool: 'terminal', args: { command: 'cp ../new.odt letter.odt && cp ../next.ipynb steps.ipynb && echo x >> damaged.odt' } }], [{ tool: 'write_file', args: { path: 'a.txt', content: 'a' } }], [{ text: 'Done.' }], [{ text: 'Noted.' }])
      const id = await s.newSession({ workspace: root, model, model_provider: 'openai' })
      await s.post('/api/session/yolo', { session_id: id, enabled: true })
      await s.turn(id, 'Write to Bob')
      const { page, problems } = await visit(t, `${s.url}/session/${id}`, { width, isPhone: width < 1_000 })
      await page.getByRole('region', { name: '1 file changed' }).getByRole('button', { name: 'Review', exact: true }).click()
      const list = page.getByRole('tabpanel')
      await list.getByRole('button', { name: /letter\.odt/ }).first().click()
      const letter = list.locator('[data-path="letter.odt"]')
      await letter.getByText('The text of the document:').waitFor()
      t.match(await letter.locator('.diff-del').innerText(), /Dear Ada/)
      t.match(await letter.locator('.diff-add').innerText(), /Dear Bob/)
      t.equal(await letter.getByRole('button', { name: 'Revert' }).count(), 0, 'a text of a document is not to be applied')
      await list.getByRole('button', { name: /steps\.ipynb/ }).first().click()
      const steps = list.locator('[data-path="steps.ipynb"]')
      await steps.getByText('The text of the document:').waitFor()
      t.match(await steps.locator('.diff-add').innerText(), /x = 2/)
      await list.getByRole('button', { name: /damaged\.odt/ }).first().click()
      await list.locator('[data-path="damaged.odt"]').getByText('The text of this document cannot be read.').waitFor()
      t.same(await violations(page), [])
      if (process.env.PICTURES !== undefined) await page.screenshot({ path: `${process.env.PICTURES}/documents-${width}.png` })

      await letter.getByRole('button', { name: 'Comment on line 1', exact: true }).last().click()
      await letter.getByRole('textbox', { name: 'Comment on line 1' }).fill('More formal')
      await letter.getByRole('button', { name: 'Add to review' }).click()
      await letter.locator('.diff-below').getByText('More formal').waitFor()
      t.match((await s.get(`/api/session/reviews?session_id=${id}`)).body.comments, [{ path: 'letter.odt', place: { line: 1, found: 'here' } }])
      await page.getByRole('button', { name: 'Send 1 comment' }).first().click()
      await eventually('the agent has it', () => said(s.requests(model).at(-1), 'user').at(-1)?.includes('More formal'))
      t.match(said(s.requests(model).at(-1), 'user').at(-1), /`letter\.odt`, line 1 of its text\n\n```\nDear Bob\n```/)
      await page.getByRole('tab', { name: 'Checkpoints' }).click()
      await page.getByRole('button', { name: 'Compare' }).first().click()
      const since = page.locator('.checkpoint-since')
      await since.getByText('Dear Bob').first().waitFor()
      t.same(problems.filter((one) => !one.includes('404')), [])
    })
  }
})

const odt = (...lines: string[]): Buffer => Buffer.from(zipSync({ 'content.xml': strToU8(
  `<office:document-content><office:body><office:text>${lines.map((line) => `<text:p>${line}</text:p>`).join('')}</office:text></office:body></office:document-content>`) }))
const notebook = (source: string): string => JSON.stringify({ cells: [{ cell_type: 'code', source, outputs: [] }], metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1)
