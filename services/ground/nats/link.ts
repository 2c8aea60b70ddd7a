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

// Except `subjects.ts`, all modules of this folder load the NATS packages: import them only once a NATS server is configured.

export interface NatsOptions {
  /** Addresses of one cluster: nats://host:4222, or tls://. They may contain a user and a password. */
  urls: string[]
  /** The prefix of subjects, streams and buckets: letters, digits and hyphens. */
  prefix: string
  /** The prefix of the inboxes for answers. The server lets a machine listen only to its own. */
  inbox: string
  /** The connection's name, shown by the server. */
  name: string
  /** A file with the seed of a key pair (`SU…`), or with credentials as `nsc` writes them. */
  credentials?: string
  /** A file with the certificates of the authority that signed the server's certificate. */
  authority?: string
}

const lookWhyMs = 1_000

/** A connection to a NATS server, with its clients. */
export interface NatsLink {
  nc: NatsConnection
  js: JetStreamClient
  jsm: JetStreamManager
  kvm: Kvm
  objm: Objm
  subjects: Subjects
  /** Whether the server can be reached. */
  isConnected (): boolean
  /** Returns in words why the server cannot be reached, if that is known; null while it can be reached. */
  trouble (): string | null
  /** Adds a listener for changes of the connection. */
  onChange (listener: (isConnected: boolean) => void): void
  /** Adds a listener for the reason why the connection does not come back, called when the reason becomes known or changes. */
  onTrouble (listener: (trouble: string) => void): void
  close (): Promise<void>
}

/**
 * Connects, and reconnects after each loss until it is closed. Rejects if the server refuses or is not there, because a person who begins
 * to use machines needs to know.
 */
export async function openLink (options: NatsOptions): Promise<NatsLink> {
  if (options.credentials !== undefined) await readFile(options.credentials)
  const account = accountOf(options.urls)
  // Masks the password wherever an agent or a log repeats it.
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
    // A client that was locked out may be admitted again, also with a new key in the same file.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 500,
    // Pings detect a peer that was cut off.
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
  /** Finds out why the connection does not come back, because the connection itself does not say. */
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
    // Whether the server has streams at all is found out when they are set up, with the rights of that connection.
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

/** Reads the file at each connection. If it has become unreadable or invalid, the last valid content is used. */
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
