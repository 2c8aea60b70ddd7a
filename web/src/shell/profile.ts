import { api, offlineCopies } from '../app.js'
import { attempt } from '../ui/attempt.js'
import { places } from './places.js'

/** Switches the profile. The data that this window has read, and the copies on this device, belong to the previous one. */
export async function enterProfile (name: string, sessionId?: string): Promise<void> {
  if (!await attempt(async () => await api.post('/api/profile/switch', { name }))) return
  await offlineCopies.clear().catch(() => {})
  location.assign(sessionId === undefined ? places.start : places.session(sessionId))
}
