import { api, kept } from '../app.js'
import { attempt } from '../ui/attempt.js'
import { places } from './places.js'

/** All that this window has read belongs to the profile that it is leaving, and so do the copies on this device. */
export async function enterProfile (name: string, sessionId?: string): Promise<void> {
  if (!await attempt(async () => await api.post('/api/profile/switch', { name }))) return
  await kept.clear().catch(() => {})
  location.assign(sessionId === undefined ? places.start : places.session(sessionId))
}
