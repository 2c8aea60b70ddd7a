import { type Static } from '@sinclair/typebox'
import { type Device as DeviceSchema } from '../../../schemas/auth-devices.js'
import { type Device } from './device-rows.js'
import { type Operator } from './sessions.js'

/** Returns a device as it is listed for `operator`. `isOver`: whether it has expired. */
export function deviceToWire (device: Device, isOver: boolean, operator: Operator | null): Static<typeof DeviceSchema> {
  const { id, name, scope, tokenHash, createdAt, expiresAt, lastUsedAt, madeBy } = device
  return {
    id,
    name,
    scope,
    kind: tokenHash === null ? 'browser' : 'token',
    created_at: createdAt,
    expires_at: expiresAt,
    is_expired: isOver,
    last_used_at: lastUsedAt,
    made_by: madeBy,
    is_current: operator?.deviceId === id
  }
}
