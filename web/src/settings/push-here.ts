/** Whether this browser can be told of anything while no window is open, at this address. */
export const canPush = (): boolean => window.isSecureContext && 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window

/** The app's own worker, which shows the notices; null while there is none. */
export async function pushRegistration (): Promise<ServiceWorkerRegistration | null> {
  const registration = await navigator.serviceWorker.getRegistration()
  return registration?.active == null ? null : registration
}

/** The subscription of this browser, and the id that the service knows it by. */
export async function subscribedHere (registration: ServiceWorkerRegistration): Promise<{ subscription: PushSubscription | null, id: string | null }> {
  const subscription = await registration.pushManager.getSubscription()
  if (subscription === null) return { subscription, id: null }
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(subscription.endpoint)))
  return { subscription, id: [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('').slice(0, 32) }
}

/** Has the browser subscribe, as the service takes it in; null where it does not, such as without permission. */
export async function subscribeHere (registration: ServiceWorkerRegistration, publicKey: string): Promise<{ endpoint: string, keys: { p256dh: string, auth: string } } | null> {
  try {
    const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
    const { endpoint, keys } = subscription.toJSON()
    return endpoint === undefined || keys?.p256dh === undefined || keys.auth === undefined ? null : { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } }
  } catch {
    return null
  }
}
