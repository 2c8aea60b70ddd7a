import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { credsAuthenticator, nkeyAuthenticator, type Authenticator, type ConnectionOptions, type NatsConnection } from '@nats-io/nats-core'
import { Objm } from '@nats-io/obj'
import { connect } from '@nats-io/transport-node'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { knownSecrets } from '../redaction/index.js'
import { createSubjects, type Subjects } from './subjects.js'
import { inWords, shownUrls } from './trouble.js'

// Everything in this folder but `subjects.ts` loads the packages of NATS: import it when hosts are configured, and not before.

export interface NatsOptions {
  /** Addresses: nats://host:4222, or tls://; several of one cluster. A user and a password may stand in them. */
  urls: string[]
  /** What subjects, streams and buckets begin with: letters, digits and hyphens. */
  prefix: string
  /** Begins the inboxes that answers come to; the server lets a host listen to its own only. */
  inbox: string
  /** Shown by the server. */
  name: string
  /** A file with the seed of a key pair (`SU…`), or with credentials as `nsc` writes them. */
  credentials?: string
  /** A file with the certificates of the authority that signed the server's. */
  authority?: string
}

const lookWhyMs = 1_000

/** A connection to a NATS server, and what is made of it. */
export interface NatsLink {
  nc: NatsConnection
  js: JetStreamClient
  jsm: JetStreamManager
  kvm: Kvm
  objm: Objm
  subjects: Subjects
  /** False while the server cannot be reached. */
  isConnected (): boolean
  /** Why it cannot be, in words, as far as that is known; null while it can. */
  trouble (): string | null
  /** Called when that changes. */
  onChange (listener: (isConnected: boolean) => void): void
  /** Called with why it does not come back, when that is found out or is something else. */
  onTrouble (listener: (trouble: string) => void): void
  close (): Promise<void>
}

/**
 * Connects, and connects again after each loss until it is closed. Rejects when the server refuses it, or is not there: whoever
 * begins to use hosts wants to know.
 */
export async function openLink (options: NatsOptions): Promise<NatsLink> {
  if (options.credentials !== undefined) await readFile(options.credentials)
  const account = accountOf(options.urls)
  // Whatever says it, an agent or a log, says it masked.
  if (account.pass !== undefined) knownSecrets.keep([account.pass])
  const connection: ConnectionOptions = {
    servers: options.urls.map((url) => withoutAccount(url)),
    ...account,
    ...(options.credentials === undefined ? {} : { authenticator: authenticatorOf(options.credentials) }),
    ...(options.authority !== undefined || options.urls.some((url) => url.startsWith('tls:'))
      ? { tls: options.authority === undefined ? {} : { caFile: options.authority } }
      : {}),
    name: options.name,
    inboxPrefix: options.inbox,
    maxReconnectAttempts: -1,
    // Who is locked out may be let in again, with another key in the same file as well.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 500,
    // A peer that is cut off is found out by this.
    pingInterval: 5_000,
    maxPingOut: 2,
    timeout: 5_000
  }
  const nc = await connect(connection)
  const listeners: Array<(isConnected: boolean) => void> = []
  let connected = true
  let trouble: string | null = null
  const troubleListeners: Array<(trouble: string) => void> = []
  const set = (now: boolean): void => {
    if (connected === now) return
    connected = now
    trouble = null
    for (const listener of listeners) listener(now)
    if (!now) void lookWhy()
  }
  /** The connection itself does not say why it does not come back. */
  const lookWhy = async (): Promise<void> => {
    const isLost = (): boolean => !connected && !nc.isClosed()
    for (;;) {
      await delay(lookWhyMs, undefined, { ref: false })
      if (!isLost()) return
      const failed = await connect({ ...connection, reconnect: false }).then(async (other) =>
        await other.close(), (error: unknown) => error)
      const words = failed === undefined ? null : inWords(failed, shownUrls(options.urls))
      if (!isLost() || words === trouble) continue
      trouble = words
      if (words !== null) for (const listener of troubleListeners) listener(words)
    }
  }
  void (async () => {
    for await (const { type } of nc.status()) {
      if (type === 'disconnect' || type === 'staleConnection' || type === 'close') set(false)
      if (type === 'reconnect') set(true)
    }
    set(false)
  })()
  return {
    nc,
    js: jetstream(nc),
    // Whether the server keeps streams at all is found out when they are set up, with the rights of whoever does that.
    jsm: await jetstreamManager(nc, { checkAPI: false }),
    kvm: new Kvm(nc),
    objm: new Objm(nc),
    subjects: createSubjects(options.prefix),
    isConnected: () => connected && !nc.isClosed(),
    trouble: () => trouble,
    onChange (listener) { listeners.push(listener) },
    onTrouble (listener) { troubleListeners.push(listener) },
    close: async () => await nc.close()
  }
}

/** Reads the file with each connection. What has become of it meanwhile ends none: then it is what it was. */
function authenticatorOf (file: string): Authenticator {
  const read = (): Authenticator => {
    const secret = readFileSync(file, 'utf8').trim()
    knownSecrets.keep(secret.match(/\bS[A-Z2-7]{57}\b/g) ?? [])
    return secret.startsWith('SU')
      ? nkeyAuthenticator(new TextEncoder().encode(secret))
      : credsAuthenticator(new TextEncoder().encode(secret))
  }
  let last: Authenticator | null = null
  return (nonce) => {
    try {
      const authenticator = read()
      const answer = authenticator(nonce)
      last = authenticator
      return answer
    } catch (error) {
      if (last === null) throw error
      return last(nonce)
    }
  }
}

function withoutAccount (url: string): string {
  const parsed = new URL(url)
  parsed.username = ''
  parsed.password = ''
  return parsed.toString().replace(/\/$/, '')
}

function accountOf (urls: string[]): { user?: string, pass?: string } {
  const named = urls.map((url) => new URL(url)).find(({ username }) => username !== '')
  return named === undefined ? {} : { user: decodeURIComponent(named.username), pass: decodeURIComponent(named.password) }
}
