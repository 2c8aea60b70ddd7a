import { type Page } from 'playwright-core'
import t, { type Test } from '#test'
import { start } from '../support/app.js'
import { approval, box, live, say } from '../support/app-page.js'
import { violations } from '../support/axe.js'
import { visit, withBrowser } from '../support/browser.js'
import { demoService } from '../support/page.js'

const password = 'correct horse'
const screens = [
  { path: '/', shown: '.setup-card' },
  { path: '/models', shown: '.provider' },
  ...['appearance', 'writing', 'voice', 'behaviour', 'privacy'].map((name) => ({ path: `/settings/${name}`, shown: '.settings-block .field, .settings-block .segmented' })),
  ...['shortcuts', 'notifications', 'models', 'permissions', 'budgets', 'profiles', 'sign-in', 'devices', 'shares', 'tool-servers', 'machines', 'plugins', 'transfer', 'archive', 'about'].map((name) => ({ path: `/settings/${name}`, shown: '.settings-block p, .settings-facts dd' }))
]

/** Gives the page's browser an authenticator that agrees to everything. */
async function plugIn (page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true }
  })
}

async function signInWithPassword (page: Page): Promise<void> {
  await page.fill('#password', password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL((url) => !url.pathname.startsWith('/login'))
}

async function lookAround (t: Test, size: { width: number, height: number }): Promise<void> {
  const s = await start(t, { hosts: 'inproc' })
  const { page, problems } = await visit(t, `${s.url}/models`, size)
  for (const { path, shown } of screens) {
    await page.goto(`${s.url}${path}`)
    await page.locator(shown).first().waitFor()
    while (await page.locator('.skeleton').count() > 0) await page.waitForTimeout(20)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      t.same(await violations(page), [], `${path} ${size.width} ${colorScheme}`)
    }
    t.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, `${path} ${size.width} stays within the window`)
  }
  // The tests' service does not search for model servers, and says so.
  t.same(problems.filter((problem) => !/\b409\b/.test(problem)), [])
}

withBrowser(() => {
  t.test('every screen of models and settings on a desk, light and dark', async (t) => await lookAround(t, { width: 1280, height: 800 }))
  t.test('and on a phone', async (t) => await lookAround(t, { width: 390, height: 844 }))

  t.test('and in a window with room for one column beside the list of chats', async (t) => await lookAround(t, { width: 820, height: 1180 }))

  t.test('standing rules stand under what they allow, a plugin in use can be read, and a middling window lists the pages in a select', async (t) => {
    const folder = t.testdir({
      home: {
        'config.yaml': 'approvals:\n  allow: ["cmd:git status", "net:api.example.org", "mcp:files:read", "write:workspace", "git:own 1a2b", "git:own 3c4d"]\n',
        plugins: { notes: { '.claude-plugin': { 'plugin.json': '{ "name": "notes", "version": "1.4.0" }' }, commands: { 'draft.md': 'Draft the notes.\n' } } }
      }
    })
    const s = await start(t, { folder })
    const { page, problems } = await visit(t, `${s.url}/settings/permissions`, { width: 820, height: 1180 })
    const under = (name: string) => page.getByRole('region', { name }).getByRole('listitem')
    await under('Commands, with any arguments').getByText('git status').waitFor()
    await under('Addresses on the network').getByText('api.example.org').waitFor()
    await under('Tools of MCP servers').getByText('read').waitFor()
    const git = 'let git run the hooks and configuration of this repository in their current state'
    t.same(
      (await under('Other actions').allInnerTexts()).map((text) => text.split('\n')[0]?.toLowerCase()),
      ['change files in the workspace', `${git} (1a2b)`, `${git} (3c4d)`]
    )
    await page.getByRole('button', { name: `Revoke: ${git} (3c4d)` }).waitFor()
    await page.getByRole('button', { name: 'Revoke: run git status with any arguments' }).click()
    await page.getByRole('region', { name: 'Commands, with any arguments' }).waitFor({ state: 'detached' })

    await page.getByRole('combobox', { name: 'Settings' }).selectOption('Plugins')
    await page.waitForURL('**/settings/plugins')
    await page.getByText('Version 1.4.0 · 1 command').waitFor()
    await page.getByRole('button', { name: 'Review and enable: notes' }).click()
    const dialog = page.getByRole('dialog', { name: 'notes' })
    await dialog.getByRole('button', { name: 'Enable' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Contents: notes' }).click()
    await dialog.getByText('/notes:draft').waitFor()
    t.same(await dialog.getByRole('button', { name: 'Enable' }).count(), 0)
    t.same(await violations(page), [])
    t.same(problems, [])
  })

  t.test('the palette, and what a window goes through: a turn that runs, an approval that waits, no connection, a sign-in that is over', async (t) => {
    const s = await demoService(t, { demoWordsPerSecond: 20, env: { SVC_WEBUI_PASSWORD: password } })
    const { page } = await visit(t, `${s.url}/`)
    await signInWithPassword(page)
    const sizes = [{ width: 1280, height: 800 }, { width: 390, height: 844 }]
    const look = async (state: string): Promise<void> => {
      for (const size of sizes) {
        await page.setViewportSize(size)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
          t.same(await violations(page), [], `${state} ${size.width} ${colorScheme}`)
        }
        t.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, `${state} ${size.width} stays within the window`)
      }
    }
    await box(page).waitFor()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog')
    await palette.getByRole('combobox').fill('set')
    await palette.getByRole('option').first().waitFor()
    await look('the palette')
    await palette.getByRole('combobox').fill('nothing has such a name')
    await palette.getByRole('option', { name: /Settings/ }).first().waitFor({ state: 'detached' })
    t.match(await palette.getByRole('option').allInnerTexts(), [/Ask the agent/])
    await look('a palette that finds nothing')
    await page.keyboard.press('Escape')
    await palette.waitFor({ state: 'detached' })

    await page.setViewportSize(sizes[0]!)
    await say(page, 'run echo hi')
    await approval(page).waitFor()
    await look('waiting for approval')
    await page.setViewportSize(sizes[0]!)
    // Not by its address: a layer on the phone may still be navigating back.
    await page.getByRole('link', { name: 'New chat', exact: true }).click()
    await approval(page).waitFor({ state: 'detached' })
    await say(page, 'slow 900')
    await live(page).filter({ hasText: '3' }).waitFor()
    await look('a turn is running')

    const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
    t.equal((await s.post('/api/auth/logout', {}, { cookie })).status, 200)
    await page.getByText('You are signed out.').waitFor()
    await look('signed out')
    await s.stop()
    await page.getByText('The service cannot be reached. You can read what is saved on this device').waitFor()
    await look('offline')
  })

  t.test('a passkey is added, signed in with, renamed and deleted; it can be the only way in', async (t) => {
    const s = await start(t, { env: { SVC_WEBUI_PASSWORD: password, SVC_WEBUI_PASSKEY: '1' } })
    const address = `${s.url.replace('127.0.0.1', 'localhost')}/settings/sign-in`
    const { page } = await visit(t, address)
    await plugIn(page)
    await signInWithPassword(page)
    await page.goto(address)
    await page.getByLabel('Name of the passkey').fill('This machine')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('listitem').filter({ hasText: 'This machine' }).getByText('Never used').waitFor()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('No passkey was created.').waitFor()

    await page.getByRole('switch', { name: 'Passkeys only' }).click()
    await page.locator('[role=switch]:checked').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/login?next=**')
    t.equal(await page.locator('#password').isVisible(), false)
    t.same(await violations(page), [])
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.waitForURL('**/settings/sign-in')

    await page.getByRole('button', { name: 'Rename: This machine' }).click()
    await page.locator('.settings-list').getByLabel('Name of the passkey').fill('Desk')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Desk' }).getByText('Last used').waitFor()
    // Deleting the last passkey ends its session, and passkeys as the only way in.
    await page.getByRole('button', { name: 'Delete: Desk' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL('**/login?next=**')
    t.equal(await page.locator('#password').isVisible(), true)
  })
})
