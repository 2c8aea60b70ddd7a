import { join } from 'node:path'
import { type Page } from 'playwright-core'
import t from '#test'
import { violations } from '../support/axe.js'
import { still, visit, withBrowser } from '../support/browser.js'
import { eventually } from '../support/chat.js'
import { called } from '../support/mcp/calls.js'
import { appsServer, startWith } from '../support/mcp/servers.js'

const look = async (shown: Page, name: string): Promise<void> => {
  const folder = process.env.SCREENSHOTS
  if (folder !== undefined) await shown.screenshot({ path: join(folder, `${name}.png`) })
}

withBrowser(() => {
  for (const [device, size] of [['desk', { width: 1_280 }], ['phone', { width: 390, height: 844, isPhone: true }]] as const) {
    t.test(`${device}: the view of a tool is drawn, calls a tool through a card, grows, and follows the theme`, async (t) => {
      const service = await startWith(t, { mcp_servers: { apps: appsServer }, approvals: { allow: ['mcp:apps:board'] } })
      const { session } = await called(service, 'mcp__apps__board', { name: 'first' })
      const { page, problems } = await visit(t, `${service.url}/session/${session}`, size)
      const frame = page.getByRole('figure', { name: 'board from apps' }).locator('iframe')
      const inside = frame.contentFrame()
      await inside.getByText('Input: {"name":"first"}').waitFor()
      await inside.getByText('Result: first').waitFor()
      await inside.getByText('Theme: light').waitFor()
      await inside.getByRole('button', { name: 'Add' }).click()
      const card = page.getByRole('dialog', { name: 'Use add from apps?' })
      await card.getByText('"by": 2').waitFor()
      await card.getByText('a\\u202eb').waitFor()
      await look(page, `view-card-${device}`)
      await card.getByRole('button', { name: 'Deny' }).click()
      await inside.getByText('Failed: The user denied this call.').waitFor()
      await inside.getByRole('button', { name: 'Add' }).click()
      await card.getByRole('button', { name: 'Allow in this chat' }).click()
      await inside.getByText('It is 2 now').waitFor()
      await inside.getByRole('button', { name: 'Add' }).click()
      await inside.getByText('It is 4 now').waitFor()
      await inside.getByRole('button', { name: 'Read', exact: true }).click()
      await page.getByRole('dialog', { name: 'Read from apps?' }).getByText('board://note').waitFor()
      await page.getByRole('button', { name: 'Allow once' }).click()
      await inside.getByText(/Done: .*A note/).waitFor()
      await inside.getByRole('button', { name: 'Sample' }).click()
      await inside.getByText('Failed: Method not found').waitFor()
      const calls = page.locator('.view-calls')
      await calls.getByText('The view made 4 calls').click()
      for (const text of ['The user denied this call.', 'It is 4 now', 'board://note', 'a\\u202eb']) await calls.getByText(text).first().waitFor()
      await look(page, `view-calls-${device}`)
      await inside.getByRole('button', { name: 'Forbidden' }).click()
      await inside.getByText(/Failed: The server of this view has no tool "secret"/).waitFor()
      await inside.getByRole('button', { name: 'Link' }).click()
      await page.getByRole('dialog', { name: 'Open a page for apps?' }).getByText('https://example.org/page').waitFor()
      await page.getByRole('button', { name: 'Deny' }).click()
      await inside.getByText('Failed: The user would rather not open this.').waitFor()
      await inside.getByRole('button', { name: 'Say' }).click()
      await eventually('the text in the box', async () => await page.evaluate<boolean>('document.querySelector("#message").value === "Hello from the board"'))
      const before = await frame.boundingBox()
      await inside.getByRole('button', { name: 'Grow' }).click()
      await eventually('the view to grow', async () => await page.evaluate<boolean>(`document.querySelector('figure iframe').getBoundingClientRect().height > ${before!.height + 200}`))
      await inside.getByRole('button', { name: 'Fill' }).click()
      await inside.getByText('Mode: fullscreen, tall').waitFor()
      await eventually('the view to fill the window', async () => await page.evaluate<boolean>('document.querySelector("figure iframe").getBoundingClientRect().width === innerWidth'))
      await inside.getByText('Input: {"name":"first"}').waitFor()
      await look(page, `view-full-${device}`)
      await page.getByRole('button', { name: 'Leave full screen' }).click()
      await inside.getByText('Mode: inline').waitFor()
      await inside.getByRole('button', { name: 'Alone' }).click()
      await page.locator('#message').focus()
      await inside.getByText('Done: {"mode":"inline"}').waitFor()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await inside.getByText(`Theme: ${colorScheme}`).waitFor()
        await still(page)
        t.same(await violations(page), [], colorScheme)
        await look(page, `view-${device}-${colorScheme}`)
      }
      await page.getByRole('button', { name: 'Close view' }).click()
      t.equal(await page.locator('iframe').count(), 0)
      t.same(problems, [])
      const { page: elsewhere } = await visit(t, `${service.url}/session/${session}`, size)
      await elsewhere.getByText('The view made 5 calls').waitFor()
      await service.post('/api/mcp/view/call', { session_id: session, call_id: (await service.get(`/api/mcp/views?session_id=${session}`)).body.call_ids[0], tool: 'add', arguments: { by: 1 } })
      await elsewhere.getByText('The view made 6 calls').waitFor()
    })
  }

  t.test('a view that asks and asks is refused the rest, and is closed from what it asks', async (t) => {
    const service = await startWith(t, { mcp_servers: { apps: appsServer }, approvals: { allow: ['mcp:apps:board'] } })
    const { session } = await called(service, 'mcp__apps__board', { name: 'many' })
    const { page } = await visit(t, `${service.url}/session/${session}`)
    const inside = page.getByRole('figure', { name: 'board from apps' }).locator('iframe').contentFrame()
    await inside.getByRole('button', { name: 'Many' }).click()
    const card = page.getByRole('dialog', { name: 'Open a page for apps?' })
    await card.getByText('https://example.org/0').waitFor()
    await inside.getByText(/ 17$/).waitFor()
    t.equal(await page.evaluate<number>('document.querySelector("#message").value.length'), 18_001, 'two messages fit into the box')
    await card.getByRole('button', { name: 'Deny' }).click()
    await card.getByText('https://example.org/1').waitFor()
    await card.getByRole('button', { name: 'Close view' }).click()
    await card.waitFor({ state: 'detached' })
    await page.getByText('The view is closed.').waitFor()
  })

  t.test('a view that wants the network says where, and is drawn when the person agrees', async (t) => {
    const service = await startWith(t, { mcp_servers: { apps: appsServer }, approvals: { allow: ['mcp:apps:reaching'] } })
    const { session } = await called(service, 'mcp__apps__reaching', {})
    const { page } = await visit(t, `${service.url}/session/${session}`)
    const figure = page.getByRole('figure', { name: 'reaching from apps' })
    await figure.getByText(/https:\/\/api\.example\.org/).waitFor()
    t.equal(await page.locator('iframe').count(), 0)
    const asked = page.waitForResponse((response) => response.url().includes('/static/frame'))
    await figure.getByRole('button', { name: 'Show view' }).click()
    const policy = (await asked).headers()['content-security-policy']
    t.match(policy, /connect-src https:\/\/api\.example\.org;/, 'no other address, and no other directive')
    t.match(policy, /^sandbox allow-scripts allow-forms; default-src 'none'/)
    await figure.locator('iframe').contentFrame().getByText('Result: far').waitFor()
    await page.reload()
    await figure.locator('iframe').contentFrame().getByText('Result: far').waitFor()
  })
})
