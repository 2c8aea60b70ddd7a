import { computed, signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError, type Api, type Wire } from '../service/api.js'

/**
 * Why this browser cannot receive push messages. `insecure`: the page came over plain http from another machine. `install-first`: iPhones
 * and iPads deliver only to apps on the home screen. `blocked`: the person has forbidden it for this address. `service`: the service's
 * reason is in `reason`, and its name in `code`.
 */
type PushObstacle = 'insecure' | 'install-first' | 'unsupported' | 'blocked' | 'service'
type PushPreferences = Wire<'PushPreferences'>

export type PushState =
  | { kind: 'unknown' }
  | { kind: 'impossible', obstacle: PushObstacle, reason: string | null, code: string | null }
  | { kind: 'off' }
  /** This browser receives the push messages that it has subscribed to. */
  | { kind: 'on', subscription: Wire<'PushSubscription'> }

/** The browser interfaces that are used; tests provide their own. */
export interface PushBrowser {
  readonly isSecure: boolean
  /** Whether this is an iPhone or iPad with the app as a page in the browser. */
  readonly isIosPage: boolean
  permission: () => NotificationPermission
  requestPermission: () => Promise<NotificationPermission>
  /** Returns null in a browser without push messages. */
  manager: () => Promise<PushManager | null>
}

export interface PushHere {
  readonly state: ReadonlySignal<PushState>
  /** All subscribed browsers, including this one; empty before `refresh`. */
  readonly subscriptions: ReadonlySignal<ReadonlyArray<Wire<'PushSubscription'>>>
  readonly isBusy: ReadonlySignal<boolean>
  /** The message of the last failure, from the service or the browser. */
  readonly problem: ReadonlySignal<string | null>
  /** Reads the state. Never throws. */
  refresh: () => Promise<void>
  /** Asks the person, then subscribes this browser. Call it from a click: browsers ask only then. Never throws. */
  subscribe: (preferences?: Partial<PushPreferences>) => Promise<void>
  /** Changes what this browser is notified of. Never throws. */
  prefer: (preferences: Partial<PushPreferences>) => Promise<void>
  /** Unsubscribes this browser. Never throws. */
  unsubscribe: () => Promise<void>
  /** Unsubscribes another browser, by its id. Never throws. */
  remove: (id: string) => Promise<void>
}

/** Manages the push messages of this browser. */
export function createPushHere ({ api, browser }: { api: Api, browser: PushBrowser }): PushHere {
  const status = signal<Wire<'PushStatus'> | null>(null)
  const own = signal<string | null>(null)
  const permission = signal<NotificationPermission>('default')
  const isSupported = signal(true)
  const isBusy = signal(false)
  const problem = signal<string | null>(null)

  const state = computed((): PushState => {
    const obstacle = obstacleOf({ browser, isSupported: isSupported.value, permission: permission.value })
    if (obstacle !== null) return { kind: 'impossible', obstacle, reason: null, code: null }
    if (status.value === null) return { kind: 'unknown' }
    const { available, reason, reason_code: code } = status.value
    if (!available) return { kind: 'impossible', obstacle: 'service', reason, code }
    const subscription = own.value === null ? undefined : status.value.subscriptions.find(({ id }) => id === own.value)
    return subscription === undefined ? { kind: 'off' } : { kind: 'on', subscription }
  })

  async function look (): Promise<void> {
    permission.value = browser.permission()
    const manager = browser.isSecure ? await browser.manager() : null
    isSupported.value = manager !== null
    const subscription = await manager?.getSubscription() ?? null
    own.value = subscription === null ? null : await idOf(subscription.endpoint)
    status.value = await api.get('/api/push')
  }

  /** Subscribes the browser with the service's key; a subscription for another key is useless. */
  async function made (key: string): Promise<PushSubscriptionJSON> {
    const manager = await browser.manager()
    if (manager === null) throw new DOMException('push messages', 'NotSupportedError')
    const before = await manager.getSubscription()
    if (before !== null && base64url(before.options.applicationServerKey) === key) return before.toJSON()
    await before?.unsubscribe()
    return (await manager.subscribe({ userVisibleOnly: true, applicationServerKey: key })).toJSON()
  }

  async function send (preferences: Partial<PushPreferences> | undefined): Promise<void> {
    const key = status.peek()?.public_key ?? (await api.get('/api/push')).public_key
    if (key === null) return await look()
    const { endpoint = '', keys } = await made(key)
    await api.post('/api/push/subscriptions', {
      endpoint, keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' }, ...(preferences === undefined ? {} : { preferences })
    })
    await look()
  }

  async function tried (act: () => Promise<void>): Promise<void> {
    if (isBusy.peek()) return
    isBusy.value = true
    problem.value = null
    try {
      await act()
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof DOMException)) throw error
      problem.value = error.message
    } finally {
      isBusy.value = false
    }
  }

  return {
    state,
    isBusy,
    problem,
    subscriptions: computed(() => status.value?.subscriptions ?? []),
    refresh: async () => await tried(look),
    subscribe: async (preferences) => await tried(async () => {
      permission.value = await browser.requestPermission()
      if (permission.peek() === 'granted') await send(preferences)
    }),
    prefer: async (preferences) => await tried(async () => await send(preferences)),
    unsubscribe: async () => await tried(async () => {
      const subscription = await (await browser.manager())?.getSubscription()
      if (subscription == null) return await look()
      const id = await idOf(subscription.endpoint)
      // The service forgets it first: it sends nothing to an unknown subscription, whatever happens next.
      if (status.peek()?.subscriptions.some((one) => one.id === id) !== false) await forget(api, id)
      await subscription.unsubscribe()
      await look()
    }),
    remove: async (id) => await tried(async () => {
      await forget(api, id)
      await look()
    })
  }
}

async function forget (api: Api, id: string): Promise<void> {
  await api.change('delete', '/api/push/subscriptions', {}, { id }).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error
  })
}

function obstacleOf ({
  browser, isSupported, permission
}: { browser: PushBrowser, isSupported: boolean, permission: NotificationPermission }): Exclude<PushObstacle, 'service'> | null {
  if (!browser.isSecure) return 'insecure'
  if (!isSupported) return browser.isIosPage ? 'install-first' : 'unsupported'
  return permission === 'denied' ? 'blocked' : null
}

/** Returns the service's id of a subscription: the first 32 hex digits of the SHA-256 of its endpoint. */
async function idOf (endpoint: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint)))
  return [...digest.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function base64url (key: ArrayBuffer | null): string {
  return key === null ? '' : btoa(String.fromCharCode(...new Uint8Array(key))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Creates the push interface of this window's browser. */
export function windowPush (): PushBrowser {
  const isIos = /iP(?:hone|ad|od)/.test(navigator.userAgent) || (navigator.userAgent.includes('Macintosh') && navigator.maxTouchPoints > 1)
  return {
    isSecure: isSecureContext,
    isIosPage: isIos && !matchMedia('(display-mode: standalone)').matches,
    permission: () => typeof Notification === 'undefined' ? 'default' : Notification.permission,
    requestPermission: async () => await Notification.requestPermission(),
    manager: async () => {
      if (!('serviceWorker' in navigator) || !('PushManager' in window) || typeof Notification === 'undefined') return null
      await navigator.serviceWorker.register('/sw.js')
      return (await navigator.serviceWorker.ready).pushManager
    }
  }
}
