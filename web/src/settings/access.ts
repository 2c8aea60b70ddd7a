import { api, renewToken, signIn } from '../app.js'
import { createResource } from '../core/service/resource.js'
import { serviceSettings } from './store.js'

export const passkeys = createResource(async () => (await api.post('/api/auth/passkeys')).credentials)

/** Changes how people sign in. This may replace the sign-in and with it the page's token. Throws ApiError. */
export async function changeAccess (change: Readonly<Record<string, unknown>>): Promise<void> {
  const settings = await api.post('/api/settings', change)
  const { authenticated, password_required: isGated, csrf_token: token } = await api.get('/api/auth/status')
  if (isGated && !authenticated) return signIn()
  renewToken(token)
  serviceSettings.set(settings)
}

/** Whether this browser supports passkeys on this page: only over https and on localhost. */
export const canUsePasskeys = (): boolean => window.PublicKeyCredential !== undefined && navigator.credentials !== undefined

/** Creates a passkey in the browser and stores it in the service. Null if the browser created none. Throws ApiError. */
export async function makePasskey (label: string): Promise<{ label: string } | null> {
  const { publicKey } = await api.post('/api/auth/passkey/register/options')
  const { startRegistration } = await import('@simplewebauthn/browser')
  let made
  try {
    made = await startRegistration({ optionsJSON: publicKey })
  } catch {
    return null
  }
  const { id, rawId, type, response: { clientDataJSON, attestationObject } } = made
  const {
    credential, credentials
  } = await api.post('/api/auth/passkey/register', { id, rawId, type, response: { clientDataJSON, attestationObject }, label })
  passkeys.set(credentials)
  return credential
}
