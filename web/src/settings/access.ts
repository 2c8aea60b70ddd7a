import { api, renewToken, signIn } from '../app.js'
import { createResource } from '../core/service/resource.js'
import { serviceSettings } from './store.js'

export const passkeys = createResource(async () => (await api.post('/api/auth/passkeys')).credentials)

/** Changes how one signs in. The sign-in may be another one afterwards, and with it the token of this page. Throws ApiError. */
export async function changeAccess (change: Readonly<Record<string, unknown>>): Promise<void> {
  const settings = await api.post('/api/settings', change)
  const { authenticated, password_required: isGated, csrf_token: token } = await api.get('/api/auth/status')
  if (isGated && !authenticated) return signIn()
  renewToken(token)
  serviceSettings.set(settings)
}

/** Whether this browser has passkeys here: over https and on localhost only. */
export const canUsePasskeys = (): boolean => window.PublicKeyCredential !== undefined && navigator.credentials !== undefined

/** Has the browser make a passkey and the service keep it. Null when the browser made none. Throws ApiError. */
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
