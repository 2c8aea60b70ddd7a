import { Type } from '@sinclair/typebox'
import { TokenScopeName } from './auth.js'
import { Closed, Nullable } from './common.js'

const id = Type.String({ minLength: 1, maxLength: 64 })
const name = Type.String({ minLength: 1, maxLength: 80, description: 'name in the list' })
const oneYearS = 366 * 86_400

export const NewDevice = Type.Object({
  name,
  scope: TokenScopeName,
  expires_in_seconds: Type.Optional(
    Nullable(Type.Integer({ minimum: 60, maximum: 10 * oneYearS }), 'lifetime in seconds; null or absent: valid until it is revoked')
  )
})
export const RenameDevice = Type.Object({ id, name })
export const RevokeDevice = Type.Object({
  id: Type.Optional(id), all: Type.Optional(Type.Boolean({ description: 'revoke all device tokens' }))
})
export const DeviceRef = Type.Object({ id })
export const PairDevice = Type.Object({
  code: Type.String({ minLength: 1, maxLength: 40 }),
  as: Type.Optional(Type.Union([Type.Literal('token'), Type.Literal('session')], {
    description: 'session: sets a cookie for the requesting browser, and returns no token; default: token'
  }))
})

export const Device = Closed({
  id: Type.String(),
  name: Type.String(),
  scope: TokenScopeName,
  kind: Type.Union([Type.Literal('token'), Type.Literal('browser')], { description: 'token: a device token; browser: a paired browser with a session' }),
  created_at: Type.Number(),
  expires_at: Nullable(Type.Number()),
  is_expired: Type.Boolean(),
  last_used_at: Nullable(Type.Number(), 'epoch seconds, rounded to the minute; null: never used'),
  made_by: Nullable(Type.String(), 'id of the device that paired it; null: a person did'),
  is_current: Type.Boolean({ description: 'this request was made with it' })
}, { title: 'Device' })

const devices = Type.Array(Device)
export const Devices = Closed({ tokens: devices }, { title: 'Devices' })
export const DeviceMade = Closed({
  ok: Type.Literal(true), token: Type.String({ description: 'shown only in this answer' }), device: Device
}, { title: 'DeviceMade' })
export const DevicesChanged = Closed({ ok: Type.Literal(true), tokens: devices }, { title: 'DevicesChanged' })
export const DevicesRevoked = Closed({
  ok: Type.Literal(true), revoked: Type.Array(Type.String(), { description: 'ids of the revoked token and of the devices that it paired' }), tokens: devices
}, { title: 'DevicesRevoked' })
export const PairingBegun = Closed({
  ok: Type.Literal(true),
  id: Type.String({ description: 'id of the device once it is paired' }),
  code: Type.String({ description: 'the pairing code, which can be exchanged once' }),
  path: Type.String({
    description: 'path of the page that exchanges the code in a browser; the code is in its fragment, which browsers send to no server'
  }),
  expires_at: Type.Number()
}, { title: 'PairingBegun' })
export const PairingEnded = Closed({ ok: Type.Literal(true) }, { title: 'PairingEnded' })
export const Paired = Closed({
  ok: Type.Literal(true), token: Nullable(Type.String(), 'shown only in this answer; null for a browser session'), device: Device
}, { title: 'Paired' })
