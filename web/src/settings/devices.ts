import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { createResource } from '../core/service/resource.js'

export type Device = Wire<'Device'>
export type Scope = Device['scope']
export const scopes: readonly Scope[] = ['read', 'chat', 'approve', 'admin']

const daySeconds = 86_400
/** The choices for how long a device has access. */
export const endingKeys = ['never', 'month', 'quarter', 'year'] as const
export type Ending = typeof endingKeys[number]
export const endings: Readonly<Record<Ending, number | null>> = {
  never: null, month: 30 * daySeconds, quarter: 90 * daySeconds, year: 365 * daySeconds
}

export const devices = createResource(async () => (await api.get('/api/auth/tokens')).tokens)
