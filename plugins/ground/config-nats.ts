import { Type, type Static, type TObject } from '@sinclair/typebox'

const Text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))

/** Variables for other machines that join; see docs/machines.md. */
export const natsVariables = {
  SVC_NATS_URL: Text('an address such as nats://127.0.0.1:4222'),
  SVC_NATS_CREDENTIALS: Text('a file'),
  SVC_NATS_CA: Text('a file'),
  SVC_NATS_PREFIX: Type.String({
    default: 'agents', pattern: '^[a-z0-9][a-z0-9-]{0,30}$', description: '1 to 31 small letters, digits and hyphens'
  }),
  SVC_NATS_RUNS_MB: Type.Integer({ default: 1_024, minimum: 16, maximum: 1_048_576, description: 'megabytes, 16 to 1048576' }),
  SVC_NATS_AWAY_MINUTES: Type.Integer({ default: 15, minimum: 1, maximum: 1_440, description: 'minutes, 1 to 1440' })
}

export interface NatsSettings {
  urls: string[]
  /** Path of a file with the seed of a key pair, or with credentials. */
  credentials?: string
  /** A file: the authorities that may have signed the server's certificate. */
  authority?: string
  prefix: string
  /** How many megabytes of runs are held at most until the service has stored them. */
  runsMb: number
  /** How long to wait for the runs of a machine that is away. */
  awayMs: number
}

/** Reads the settings and adds what is wrong to `problems`. Returns null without an address: machines cannot join then. */
export function readNats (
  values: Static<TObject<typeof natsVariables>>, problems: string[], folder: (path: string) => string
): NatsSettings | null {
  const { SVC_NATS_URL: url, SVC_NATS_CREDENTIALS: credentials, SVC_NATS_CA: authority } = values
  if (url === undefined) {
    for (const [name, value] of Object.entries({ SVC_NATS_CREDENTIALS: credentials, SVC_NATS_CA: authority })) {
      if (value !== undefined) problems.push(`${name} means nothing without SVC_NATS_URL`)
    }
    return null
  }
  const urls = natsUrls(url)
  for (const each of urls) {
    if (!isNatsUrl(
      each
    )) problems.push('SVC_NATS_URL: one of its addresses is none such as nats://127.0.0.1:4222 or tls://nats.example.org:4222')
  }
  if (urls.length === 0) problems.push('SVC_NATS_URL must be an address such as nats://127.0.0.1:4222')
  return {
    urls,
    ...(credentials !== undefined && { credentials: folder(credentials) }),
    ...(authority !== undefined && { authority: folder(authority) }),
    prefix: values.SVC_NATS_PREFIX,
    runsMb: values.SVC_NATS_RUNS_MB,
    awayMs: values.SVC_NATS_AWAY_MINUTES * 60_000
  }
}

/** Splits a list of addresses. Several addresses are those of one cluster. */
export const natsUrls = (text: string): string[] => text.split(',').map((url) => url.trim()).filter((url) => url !== '')

export function isNatsUrl (url: string): boolean {
  return URL.canParse(url) && /^(nats|tls):$/.test(new URL(url).protocol) && new URL(url).hostname !== '' &&
    /^\/?$/.test(new URL(url).pathname)
}
