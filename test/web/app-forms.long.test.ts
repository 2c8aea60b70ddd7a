import { type Locator } from 'playwright-core'
import t from '#test'
import { question, visitApp } from '../support/app-page.js'
import { violations } from '../support/axe.js'
import { withBrowser } from '../support/browser.js'
import { eventually, said } from '../support/chat.js'
import { everythingServer, startWith } from '../support/mcp/servers.js'

const isFocused = async (field: Locator): Promise<boolean> => await field.and(field.page().locator(':focus')).count() === 1

withBrowser(() => {
  for (const [device, size] of [['desk', { width: 1280, height: 800 }], ['phone', { width: 360, height: 740 }]] as const) {
    t.test(`the form of an MCP server is filled in and sent by keyboard alone: ${device}`, async (t) => {
      const service = await startWith(t, { mcp_servers: { every: everythingServer }, approvals: { allow: ['mcp:every:*'] } })
      const session = await service.newSession()
      const model = service.model([{ tool: 'mcp__every__trigger-elicitation-request', args: {} }], [{ text: 'Done.' }])
      const { page, problems } = await visitApp(t, service.url, session, size)
      await page.emulateMedia({ reducedMotion: 'reduce' })
      const stream = await service.send(session, 'Ask me', { model })
      const card = device === 'desk' ? question(page) : page.getByRole('dialog')
      await card.waitFor()
      const isInView = async (of: Locator): Promise<boolean> => {
        const [box, around] = [await of.boundingBox(), await card.boundingBox()]
        return box !== null && around !== null && box.y >= around.y && box.y + box.height <= Math.min(around.y + around.height, size.height) + 1
      }
      const answer = card.getByRole('button', { name: 'Answer', exact: true })
      t.ok(await isInView(answer) && await isInView(card.getByRole('heading')), 'whoever asks, and the buttons, stay in view however many fields there are')
      t.same(await violations(page), [])
      t.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)

      await card.locator('button:enabled', { hasText: 'Answer' }).waitFor()
      await answer.press('Enter')
      const name = card.getByRole('textbox', { name: 'String', exact: true })
      await eventually('the field that is needed has the focus', async () => await isFocused(name))
      t.ok(await isInView(name))
      await card.getByText('This is required.').waitFor()
      t.same(await violations(page), [])
      await page.keyboard.type('Ada')
      await page.keyboard.press('Tab')
      await page.keyboard.press('y')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      await page.keyboard.type('not an address')
      await answer.press('Enter')
      const email = card.getByLabel('String with email format')
      await eventually('the field that does not fit has the focus', async () => await isFocused(email))
      await email.fill('ada@example.org')
      const number = card.getByLabel('Number in range 1-1000')
      await number.focus()
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type('1e')
      await answer.press('Enter')
      await eventually('half a number is none', async () => await isFocused(number))
      await number.fill('7.5')
      await card.getByRole('checkbox', { name: 'Guitar' }).press('Space')
      await card.getByRole('checkbox', { name: 'Drums' }).press('Space')
      await answer.press('Enter')
      await card.waitFor({ state: 'detached' })
      await (await service.watch(stream)).ended
      const told = said(service.requests(model)[1], 'tool').at(-1) ?? ''
      for (const words of ['"Ada"', 'ada@example.org', '"check": true', '"number": 7.5', 'Drums', '"integer": 42']) t.ok(told.includes(words), `${words} in ${told}`)
      t.notOk(told.includes('Guitar'))
      t.same(problems, [])
    })
  }
})
