import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { type TestLike } from './app.js'
import { serving } from './listening.js'

/** A message that a push service received for one of its browsers. */
export interface Pushed { path: string, headers: Record<string, string | undefined>, body: Buffer }

/** A browser's side of a subscription. */
export interface Browser {
  subscription: { endpoint: string, expirationTime: null, keys: { p256dh: string, auth: string } }
  /** Decrypts what it was sent. */
  read (pushed: Pushed): any // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries is what a test looks into
}

export interface PushService {
  url: string
  received: Pushed[]
  /** The next answers, in order; then 201. */
  answers: Array<{ status: number, headers?: Record<string, string>, waitMs?: number }>
  browser (name: string): Browser
}

/** Starts a stand-in for the service that keeps messages for browsers. */
export async function startPushService (t: TestLike): Promise<PushService> {
  const received: Pushed[] = []
  const answers: PushService['answers'] = []
  const url = await serving(t, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => {
      received.push({ path: request.url!, headers: request.headers as Pushed['headers'], body: Buffer.concat(chunks) })
      const { status, headers, waitMs = 0 } = answers.shift() ?? { status: 201 }
      setTimeout(() => response.writeHead(status, headers).end(), waitMs).unref()
    })
  })
  return { url, received, answers, browser: (name) => browserAt(`${url}/send/${name}`) }
}

export function browserAt (endpoint: string): Browser {
  const keys = createECDH('prime256v1')
  const p256dh = keys.generateKeys()
  const auth = randomBytes(16)
  return {
    subscription: { endpoint, expirationTime: null, keys: { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') } },
    read: ({ body }) => JSON.parse(decrypted(body, { keys, p256dh, auth }).toString())
  }
}

const derived = (secret: Buffer, salt: Buffer, what: Buffer | string, bytes: number): Buffer => Buffer.from(hkdfSync('sha256', secret, salt, what, bytes))

/** Decrypts RFC 8291 over the single record of RFC 8188. */
function decrypted (body: Buffer, { keys, p256dh, auth }: { keys: ReturnType<typeof createECDH>, p256dh: Buffer, auth: Buffer }): Buffer {
  const salt = body.subarray(0, 16)
  const sender = body.subarray(21, 21 + body[20]!)
  const sealed = body.subarray(21 + body[20]!)
  const secret = derived(keys.computeSecret(sender), auth, Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, sender]), 32)
  const cipher = createDecipheriv('aes-128-gcm', derived(secret, salt, 'Content-Encoding: aes128gcm\0', 16), derived(secret, salt, 'Content-Encoding: nonce\0', 12))
  cipher.setAuthTag(sealed.subarray(-16))
  const padded = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()])
  return padded.subarray(0, padded.lastIndexOf(2))
}

/** Returns the claims of a VAPID header that was signed with the key; throws for any other. */
export function vapidClaims ({ headers }: Pushed, publicKey: string): Record<string, unknown> {
  const [, token, key] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization ?? '') ?? []
  if (key !== publicKey) throw new Error('signed with another key')
  const [head, claims, signature] = token!.split('.')
  const point = Buffer.from(publicKey, 'base64url')
  const jwk = { kty: 'EC', crv: 'P-256', x: point.subarray(1, 33).toString('base64url'), y: point.subarray(33).toString('base64url') }
  const isGood = verify('sha256', Buffer.from(`${head}.${claims}`), { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' }, Buffer.from(signature!, 'base64url'))
  if (!isGood) throw new Error('the signature is not good')
  return JSON.parse(Buffer.from(claims!, 'base64url').toString()) as Record<string, unknown>
}
