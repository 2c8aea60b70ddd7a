import t from '../../test/support/harness.js'
import { Api } from '../src/core/service/api.js'
import { createPushHere, type PushBrowser } from '../src/core/settings/push.js'
import { start } from '../../test/support/app.js'
import { browserAt } from '../../test/support/push-service.js'

const service = await start(t, { env: { SVC_WEBUI_WEBHOOK_PRIVATE: '1', SVC_WEBUI_PUSH_CONTACT: 'mailto:me@example.org' } })
const api = new Api({ origin: service.url })

interface Made { key: string, json: () => PushSubscriptionJSON }

/** A browser that keeps its subscription as real ones do: made for one key, gone when it is told so. */
function testBrowser (change: Partial<PushBrowser> = {}): PushBrowser & { subscription: Made | null } {
  let count = 0
  const browser: PushBrowser & { subscription: Made | null } = {
    subscription: null,
    isSecure: true,
    isIosPage: false,
    permission: () => 'default',
    requestPermission: async () => 'granted',
    manager: async () => ({
      getSubscription: async () => browser.subscription === null ? null : shown(browser.subscription),
      subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) => {
        const { subscription } = browserAt(`https://push.example.org/${++count}`)
        browser.subscription = { key: applicationServerKey, json: () => subscription }
        return shown(browser.subscription)
      }
    }) as unknown as PushManager,
    ...change
  }
  const shown = ({ key, json }: Made): PushSubscription => ({
    endpoint: json().endpoint,
    options: { applicationServerKey: Uint8Array.from(Buffer.from(key, 'base64url')).buffer },
    toJSON: json,
    unsubscribe: async () => { browser.subscription = null; return true }
  }) as unknown as PushSubscription
  return browser
}

t.test('a browser subscribes, says what it wants to hear of, is known again after a reload, and goes', async (t) => {
  const browser = testBrowser()
  const here = createPushHere({ api, browser })
  t.same(here.state.value, { kind: 'unknown' })
  await here.refresh()
  t.same(here.state.value, { kind: 'off' })
  await here.subscribe({ finished_jobs: false })
  t.match(here.state.value, { kind: 'on', subscription: { preferences: { approvals: true, finished_jobs: false } } })
  await here.prefer({ approvals: false })
  t.match(here.state.value, { kind: 'on', subscription: { preferences: { approvals: false, finished_jobs: false } } })
  const again = createPushHere({ api, browser })
  await again.refresh()
  t.match(again.state.value, { kind: 'on' })
  await again.unsubscribe()
  t.same([again.state.value, browser.subscription, again.subscriptions.value], [{ kind: 'off' }, null, []])
})

t.test('a subscription for the key of another service is made anew; one that the service has forgotten is off', async (t) => {
  const browser = testBrowser()
  const stale = browserAt('https://push.example.org/stale').subscription
  browser.subscription = { key: Buffer.alloc(65, 4).toString('base64url'), json: () => stale }
  const here = createPushHere({ api, browser })
  await here.refresh()
  t.same(here.state.value, { kind: 'off' })
  await here.subscribe()
  t.match(here.state.value, { kind: 'on' })
  t.not(browser.subscription.json().endpoint, stale.endpoint)
  await here.remove(here.subscriptions.value[0]!.id)
  t.same(here.state.value, { kind: 'off' })
  await here.unsubscribe()
  t.same([here.problem.value, browser.subscription], [null, null], 'what the service does not know goes without a complaint')
})

t.test('what stands in the way is told apart', async (t) => {
  const obstacle = async (change: Partial<PushBrowser>): Promise<unknown> => {
    const here = createPushHere({ api, browser: testBrowser(change) })
    await here.refresh()
    return here.state.value
  }
  t.match(await obstacle({ isSecure: false }), { kind: 'impossible', obstacle: 'insecure' })
  t.match(await obstacle({ isIosPage: true, manager: async () => null }), { kind: 'impossible', obstacle: 'install-first' })
  t.match(await obstacle({ manager: async () => null }), { kind: 'impossible', obstacle: 'unsupported' })
  t.match(await obstacle({ permission: () => 'denied' }), { kind: 'impossible', obstacle: 'blocked' })
  const here = createPushHere({ api, browser: testBrowser({ requestPermission: async () => 'denied' }) })
  await here.refresh()
  await here.subscribe()
  t.match(here.state.value, { kind: 'impossible', obstacle: 'blocked' }, 'the person said no')
  t.same(here.subscriptions.value, [])
})
