import t from '#test'
import { startAgent } from '../support/acp/agents.js'
import { terminal, terminalId } from '../support/acp/terminal.js'
import { answer, converse, note, say, visitApp, wrong } from '../support/app-page.js'
import { violations } from '../support/axe.js'
import { withBrowser } from '../support/browser.js'

withBrowser(() => {
  t.test('a conversation of the terminal is continued here, and says when the terminal was faster', async (t) => {
    const theirs = terminal(t, 'codex')
    const service = await startAgent(t, theirs.config, { folder: theirs.folder })
    await service.app.foreign.refresh()
    const { page, problems } = await visitApp(t, service.url, terminalId, { width: 390, height: 844 })
    const button = page.getByRole('button', { name: 'Continue here', exact: true })
    await button.waitFor()
    t.match(await page.locator('.read-only').first().innerText(), /through Codex\. The terminal then shows what you add/)
    await page.getByRole('button', { name: 'Branch to continue' }).waitFor()
    t.same(await violations(page), [])
    await button.click()
    await converse(page, 'say Another one.')
    t.match(await answer(page).innerText(), 'Another one.')
    theirs.says('In blue?', 'Blue.')
    await say(page, 'say Too late.')
    await note(page).getByText(/Codex has written to this conversation/).waitFor()
    await page.getByText('Blue.', { exact: true }).waitFor()
    t.notMatch(JSON.stringify(theirs.lines()), /Too late/)
    t.same(wrong(problems, '409'), [])
  })
})
