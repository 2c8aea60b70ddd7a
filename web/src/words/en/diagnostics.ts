import { type ConnectionCheck, type Fix, type Verdict } from '../../core/diagnostics/judge.js'
import { spansIn } from '../spans.js'

const long = spansIn('en')

const titles: Record<ConnectionCheck, string> = {
  reach: 'Event streams', encryption: 'Encryption', buffering: 'Buffering', compression: 'Compression', timeout: 'Open connections',
  ids: 'Resuming', scheme: 'Protocol', host: 'Host name', address: 'Client address', cookies: 'Cookies', upload: 'Uploads', clock: 'Clocks'
}

const verdicts: Record<Verdict, (value: string) => string> = {
  reached: () => 'Event streams arrive.',
  unreachable: (code) => `The service cannot be reached at this address${code === '' ? '' : ` (${code})`}.`,
  refused: (status) => `The event stream was refused with status ${status}.`,
  noStream: (type) => `Something answered in place of the service (${type || 'without a type'}).`,
  encrypted: () => 'The connection is encrypted.',
  local: () => 'The connection stays on this machine.',
  plain: () => 'The connection is not encrypted: passwords and chats can be read on the way. Browsers offer no notifications, passkeys or microphone.',
  delivered: () => 'Answers arrive while they are written.',
  buffered: (seconds) => `A proxy holds answers back, here for ${long(seconds)}: they appear in bursts, or all at once.`,
  undelivered: () => 'A proxy holds event streams back until they close.',
  uncompressed: () => 'Event streams are not compressed.',
  compressed: (encoding) => `A proxy compresses event streams (${encoding}), which delays answers.`,
  stayedOpen: (seconds) => `A stream stayed open for ${long(seconds)}.`,
  wasCut: (seconds) => `A stream was cut after ${long(seconds)}, although the service sends something every 5 seconds.`,
  idsKept: () => 'A stream that was cut continues where it stopped.',
  idsLost: () => 'A proxy changes event streams: ids of frames are missing, so that streams start over.',
  lastIdLost: () => 'The header Last-Event-ID does not reach the service, so streams start over.',
  schemeRight: (scheme) => `The service knows that it is reached over ${scheme}.`,
  schemeNotBelieved: (scheme) => `The service takes the connection for ${scheme}, because it does not trust the proxy.`,
  schemeWrong: (scheme) => `The proxy does not say that the connection is encrypted: the service takes it for ${scheme}.`,
  schemeClaimed: () => 'The proxy says that the connection is encrypted, which it is not.',
  hostRight: (host) => `The service knows that it is reached at ${host}.`,
  hostWrong: (host) => `The service takes its address for ${host}. Changes from browsers are refused, and passkeys do not work.`,
  addressRight: (address) => `The service sees the address of this device (${address}).`,
  addressMissing: (peer) => `The proxy does not pass on addresses: all clients seem to be ${peer}, and one person’s wrong passwords lock everyone out.`,
  addressNotBelieved: (peer) => `The service does not trust the proxy: all clients seem to be ${peer}, and one person’s wrong passwords lock everyone out.`,
  addressForged: () => 'The proxy passes on an address that a client made up, so guessing passwords is never stopped.',
  cookiesRight: () => 'Cookies fit the connection.',
  cookiesOpen: () => 'Cookies are not marked Secure, although the connection is encrypted.',
  cookiesLost: () => 'Cookies are marked Secure, but the connection is not encrypted, so browsers do not keep the sign-in.',
  uploadPassed: (mib) => `An upload of ${mib} MiB arrived.`,
  uploadRefused: (mib) => `An upload of ${mib} MiB was refused as too large.`,
  uploadCut: (mib) => `An upload of ${mib} MiB was cut off.`,
  uploadUntried: () => 'The connection is too slow to test a large upload.',
  uploadUnjudged: (status) => `A large upload was answered with status ${status}, which says nothing about its size.`,
  clockRight: () => 'The clocks of this device and of the service agree.',
  clockWrong: (seconds) => `The clocks of this device and of the service differ by ${long(seconds)}.`
}

const advice: Record<Fix, string> = {
  reach: 'Check that the service runs, that the proxy leads to its port, and that you are signed in.',
  tls: 'Put a reverse proxy with a certificate in front: “Behind a reverse proxy” in the help (/help).',
  buffering: 'Switch off buffering in the proxy:',
  compression: 'Do not compress event streams in the proxy; the service compresses everything else itself:',
  timeout: 'Let connections stay open in the proxy:',
  lastId: 'Pass the header on in the proxy:',
  proto: 'Name the protocol in the proxy, and trust it with SVC_WEBUI_TRUSTED_PROXIES:',
  host: 'Pass the host on in the proxy, port included:',
  forwardedFor: 'Replace the header in the proxy with the address that connected to it:',
  trust: 'Trust the proxy in the environment of the service, then restart it:',
  secure: 'Open the service over https, or change the environment of the service:',
  upload: 'Allow uploads of this size in the proxy:',
  clock: 'Synchronise the clocks.'
}

const own: Readonly<Record<string, string>> = {}
/** What the sentences about a finding contain. `seconds`, `hours`: as numbers; sizes have their unit. */
export type FoundValue =
  | 'path' | 'target' | 'owner' | 'user' | 'code' | 'seconds' | 'hours' | 'free' | 'needed' | 'used' | 'limit' | 'count' | 'open' | 'messages'
  | 'version' | 'own' | 'size' | 'log' | 'host' | 'port' | 'profile' | 'reason'
type FoundValues = Record<FoundValue, string>
/** The sentence, and the one about what to do. */
type Said = readonly [message: string, fix?: string]
const ownFindings: Readonly<Record<string, Said | ((values: FoundValues) => Said)>> = {}

const counted = (count: number, what: string): string[] => count === 0 ? [] : [`${count} ${what}${count === 1 ? '' : 's'}`]

export const diagnostics = {
  note: 'Checks the service, its machine and the way from this device to it. Nothing is changed.',
  again: 'Check again',
  checking: 'Checking…',
  thorough: 'Check thoroughly',
  thoroughNote: 'The thorough check also asks a model of each provider for one word, which may cost something, and starts external agents.',
  copyReport: 'Copy report',
  reportCopied: 'Report copied.',
  statuses: { ok: 'OK', warning: 'Warning', error: 'Problem', skipped: 'Not checked' },
  summary: (errors: number, warnings: number): string => {
    const found = [...counted(errors, 'problem'), ...counted(warnings, 'warning')]
    return found.length === 0 ? 'No problems found.' : `${found.join(', ')}.`
  },
  /** Names of the service's checks and their parts, and what it found, by code. In English, they are the service's own. */
  checks: own,
  parts: own,
  found: ownFindings,
  groups: {
    service: 'Service', storage: 'Storage', access: 'Access', agent: 'Agent', models: 'Models', connections: 'Connections'
  },
  connection: 'From this device',
  held: (seconds: number): string => `A connection is kept open for ${long(seconds)}, to see whether something cuts it…`,
  environment: 'Environment of the service',
  titles,
  verdicts,
  advice
}
