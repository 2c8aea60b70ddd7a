import { type Page } from 'playwright-core'
import t, { type Test } from '#test'
import { start } from '../support/app.js'
import { visit, withBrowser } from '../support/browser.js'

const password = 'correct horse'

interface Called { status: number, body: any } // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries is what a test looks into

/** Gives the page's browser an authenticator that agrees to everything. Returns a function that removes it. */
async function plugIn (page: Page): Promise<() => Promise<void>> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true }
  })
  return async () => { await devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId }) }
}

/** Calls the service from the page, as its script would. */
const call = (page: Page, path: string, body: object = {}) => page.evaluate<Called>(`(async () => {
  const { csrf_token: token } = await (await fetch('/api/auth/status')).json()
  const response = await fetch(${JSON.stringify(path)}, { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Svc-CSRF-Token': token }, body: ${JSON.stringify(JSON.stringify(body))} })
  return { status: response.status, body: await response.json() }
})()`)

/** Makes the browser create a passkey for the service's request, and store it. */
async function register (page: Page, label: string) {
  const { body: { publicKey } } = await call(page, '/api/auth/passkey/register/options')
  const attestation = await page.evaluate<object>(`(async () => {
    const options = ${JSON.stringify(publicKey)}
    const bytes = (text) => Uint8Array.fromBase64(text, { alphabet: 'base64url' })
    const text = (buffer) => new Uint8Array(buffer).toBase64({ alphabet: 'base64url', omitPadding: true })
    const { id, response } = await navigator.credentials.create({ publicKey: {
      ...options,
      challenge: bytes(options.challenge),
      user: { ...options.user, id: bytes(options.user.id) },
      excludeCredentials: options.excludeCredentials.map(({ type, id }) => ({ type, id: bytes(id) }))
    } })
    return { id, response: { clientDataJSON: text(response.clientDataJSON), attestationObject: text(response.attestationObject) } }
  })()`)
  return await call(page, '/api/auth/passkey/register', { ...attestation, label })
}

async function begin (t: Test, env: Record<string, string> = {}) {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: password, SVC_WEBUI_PASSKEY: '1', ...env } })
  const visitor = await visit(t, service.url.replace('127.0.0.1', 'localhost') + '/login')
  return { service, ...visitor }
}

async function signInWithPassword (page: Page): Promise<void> {
  await page.fill('#password', password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/')
}

/**
 * Opens `path` from an empty page: a page whose session has ended may be navigating to the login page by itself, and two
 * navigations at once may end in neither.
 */
async function open (page: Page, path: string): Promise<void> {
  const address = new URL(path, page.url()).href
  for (let left = 10; left > 0; left--) {
    const problem = await page.goto('about:blank').then(() => null, (error: unknown) => error)
    if (problem === null) break
    if (left === 1 || !String(problem).includes('interrupted by another navigation')) throw problem
  }
  await page.goto(address)
}

withBrowser(() => {
  t.test('an authenticator that is not there leaves the password', async (t) => {
    const { page } = await begin(t)
    const unplug = await plugIn(page)
    await signInWithPassword(page)
    const { body } = await register(page, 'Lost')
    await call(page, '/api/auth/logout')
    await unplug()
    await open(page, '/login')
    await plugIn(page)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('No passkey was used. Try again.').waitFor()
    await signInWithPassword(page)
    t.same((await call(page, '/api/auth/passkey/delete', { id: body.credential.id })).body, { ok: true, credentials: [] })
    await call(page, '/api/auth/logout')
    await open(page, '/login')
    t.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible(), false)
  })
})
