import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { credsAuthenticator, nkeyAuthenticator, type ConnectionOptions, type NatsConnection } from '@nats-io/nats-core'
import { Objm } from '@nats-io/obj'
import { connect } from '@nats-io/transport-node'
import { readFile } from 'node:fs/promises'
import { createSubjects, type Subjects } from './subjects.js'

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
  /** Called when that changes. */
  onChange (listener: (isConnected: boolean) => void): void
  close (): Promise<void>
}

/**
 * Connects, and connects again after each loss until it is closed. Rejects when the server refuses it, or is not there: whoever
 * begins to use hosts wants to know.
 */
export async function openLink (options: NatsOptions): Promise<NatsLink> {
  const secret = options.credentials === undefined ? undefined : (await readFile(options.credentials, 'utf8')).trim()
  const connection: ConnectionOptions = {
    servers: options.urls.map((url) => withoutAccount(url)),
    ...accountOf(options.urls),
    ...(secret === undefined ? {} : { authenticator: secret.startsWith('SU') ? nkeyAuthenticator(new TextEncoder().encode(secret)) : credsAuthenticator(new TextEncoder().encode(secret)) }),
    ...(options.authority !== undefined || options.urls.some((url) => url.startsWith('tls:')) ? { tls: options.authority === undefined ? {} : { caFile: options.authority } } : {}),
    name: options.name,
    inboxPrefix: options.inbox,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
    // A peer that is cut off is found out by this.
    pingInterval: 5_000,
    maxPingOut: 2,
    timeout: 5_000
  }
  const nc = await connect(connection)
  const listeners: Array<(isConnected: boolean) => void> = []
  let connected = true
  const set = (now: boolean): void => {
    if (connected === now) return
    connected = now
    for (const listener of listeners) listener(now)
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
    onChange (listener) { listeners.push(listener) },
    close: async () => await nc.close()
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
