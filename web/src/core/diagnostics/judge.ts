import { sent, type Measured } from './probe.js'

export type Verdict =
  | 'reached' | 'unreachable' | 'refused' | 'noStream'
  | 'encrypted' | 'local' | 'plain'
  | 'delivered' | 'buffered' | 'undelivered'
  | 'uncompressed' | 'compressed'
  | 'stayedOpen' | 'wasCut'
  | 'idsKept' | 'idsLost' | 'lastIdLost'
  | 'schemeRight' | 'schemeNotBelieved' | 'schemeWrong' | 'schemeClaimed'
  | 'hostRight' | 'hostWrong'
  | 'addressRight' | 'addressMissing' | 'addressNotBelieved' | 'addressForged'
  | 'cookiesRight' | 'cookiesOpen' | 'cookiesLost'
  | 'uploadPassed' | 'uploadRefused' | 'uploadCut' | 'uploadUntried' | 'uploadUnjudged'
  | 'clockRight' | 'clockWrong'

/** The setting of a proxy, or of the service itself, that has to change. */
export type Fix =
  'reach' | 'tls' | 'buffering' | 'compression' | 'timeout' | 'lastId' | 'proto' | 'host' | 'forwardedFor' | 'trust' | 'secure' | 'upload' | 'clock'

export type ConnectionCheck =
  'reach' | 'encryption' | 'buffering' | 'compression' | 'timeout' | 'ids' | 'scheme' | 'host' | 'address' | 'cookies' | 'upload' | 'clock'

export interface ConnectionFinding {
  check: ConnectionCheck
  status: 'ok' | 'warning' | 'error' | 'skipped'
  verdict: Verdict
  /** The value that the sentence of the verdict mentions. */
  value: string
  fix: Fix | null
  /** The value that the lines of the fix contain. */
  fixValue: string
}

type Result = Omit<ConnectionFinding, 'check'>

const ok = (verdict: Verdict, value = ''): Result => ({ status: 'ok', verdict, value, fix: null, fixValue: '' })
const bad = (verdict: Verdict, fix: Fix, value = '', fixValue = ''): Result => ({ status: 'error', verdict, value, fix, fixValue })
const untold = (verdict: Verdict, value = ''): Result => ({ status: 'skipped', verdict, value, fix: null, fixValue: '' })
const doubtful = (verdict: Verdict, fix: Fix | null, value = ''): Result => ({ status: 'warning', verdict, value, fix, fixValue: '' })

/** The frames of a probe are sent over 1.2 s. If they arrive closer together by more than this, something in between buffered them. */
const heldBackMs = 500
const clockToleranceS = 60

/** Returns findings about the connection to the service. Pure. */
export function judge (measured: Measured): ConnectionFinding[] {
  const { seen } = measured
  const reached = reach(measured)
  const found: Array<[ConnectionCheck, Result]> = [['reach', reached], ['encryption', encryption(measured)]]
  if (reached.status === 'ok') found.push(['buffering', buffering(measured)], ['compression', compression(measured)])
  if (seen !== null) {
    const met = { ...measured, seen }
    found.push(
      ['timeout', timeout(met)], ['ids', ids(met)], ['scheme', scheme(met)], ['host', host(met)], ['address', address(met)],
      ['cookies', cookies(met)], ['upload', upload(met)], ['clock', clock(met)]
    )
  }
  return found.map(([check, result]) => ({ check, ...result }))
}

type Met = Measured & { seen: NonNullable<Measured['seen']> }

function reach ({ answer, failure }: Measured): Result {
  if (answer === null) return bad('unreachable', 'reach', failure)
  if (answer.status !== 200) return bad('refused', 'reach', String(answer.status))
  return answer.type.startsWith('text/event-stream') ? ok('reached') : bad('noStream', 'reach', answer.type)
}

function encryption ({ used }: Measured): Result {
  if (used.protocol === 'https') return ok('encrypted')
  return used.isLocal ? ok('local') : doubtful('plain', 'tls')
}

function buffering ({ ticks }: Measured): Result {
  const last = ticks.at(-1)
  if (last === undefined || ticks.length < 2) return bad('undelivered', 'buffering')
  const heldMs = Math.max(...ticks.map(({ sentMs, arrivedMs }) => (last.sentMs - sentMs) - (last.arrivedMs - arrivedMs)))
  return heldMs > heldBackMs ? bad('buffered', 'buffering', (heldMs / 1_000).toFixed(1)) : ok('delivered')
}

function compression ({ answer }: Measured): Result {
  const encoding = answer?.encoding ?? 'identity'
  return encoding === 'identity' ? ok('uncompressed') : bad('compressed', 'compression', encoding)
}

function timeout ({ isWhole, openS, seen }: Met): Result {
  return isWhole ? ok('stayedOpen', String(seen.hold_s)) : bad('wasCut', 'timeout', openS.toFixed(openS < 10 ? 1 : 0))
}

function ids ({ hasIds, seen }: Met): Result {
  if (!hasIds) return bad('idsLost', 'buffering')
  return seen.last_event_id === sent.lastEventId ? ok('idsKept') : bad('lastIdLost', 'lastId')
}

function scheme ({ used, seen }: Met): Result {
  if (seen.protocol === used.protocol) return ok('schemeRight', used.protocol)
  // The proxy claims https for every connection.
  if (used.protocol === 'http') return bad('schemeClaimed', 'proto')
  const isRight = seen.forwarded_proto === used.protocol
  return isRight ? bad('schemeNotBelieved', 'trust', seen.protocol, trusted(seen.peer)) : bad('schemeWrong', 'proto', seen.protocol)
}

function host ({ used, seen }: Met): Result {
  const same = normalised(used.protocol, seen.host) === normalised(used.protocol, used.host)
  return same ? ok('hostRight', used.host) : bad('hostWrong', 'host', seen.host)
}

/** Returns a host name without its port if that is the default one. */
const normalised = (protocol: string, name: string): string =>
  URL.canParse(`${protocol}://${name}`) ? new URL(`${protocol}://${name}`).host : name

/** Judges the client's address. The service itself speaks http, so https means a proxy. */
function address ({ used, seen }: Met): Result {
  const isForged = seen.address === sent.forwardedFor
  const isPassedOn = seen.forwarded_for === sent.forwardedFor
  const isDirect = used.protocol === 'http' && used.isLocal
  if (isForged && !(isPassedOn && isDirect)) return bad('addressForged', 'forwardedFor')
  if (isPassedOn) {
    // Either no proxy is in between, or it cannot be detected. A client from another machine with a loopback address came through a proxy.
    const isProxy = used.protocol === 'https' || (!used.isLocal && trusted(seen.peer) === 'loopback')
    return isProxy ? bad('addressMissing', 'forwardedFor', seen.peer) : ok('addressRight', used.isLocal ? seen.peer : seen.address)
  }
  if (seen.forwarded_for === null) return used.protocol === 'https' ? bad('addressMissing', 'forwardedFor', seen.peer) : ok('addressRight', seen.address)
  return seen.forwarded_is_believed ? ok('addressRight', seen.address) : bad('addressNotBelieved', 'trust', seen.peer, trusted(seen.peer))
}

const trusted = (peer: string): string => /^(?:::ffff:)?127\.|^::1$/.test(peer) ? 'loopback' : peer.replace(/^::ffff:/, '')

function cookies ({ used, seen }: Met): Result {
  if (used.protocol === 'https') {
    const fix = seen.forwarded_proto === 'https' ? 'trust' : 'proto'
    return seen.secure_cookies ? ok('cookiesRight') : bad('cookiesOpen', fix, '', trusted(seen.peer))
  }
  return seen.secure_cookies ? bad('cookiesLost', seen.protocol === 'https' ? 'proto' : 'secure') : ok('cookiesRight')
}

function upload ({ upload: tried, seen }: Met): Result {
  if (tried === null) return untold('uploadUntried')
  const mib = String(Math.floor(tried.bytes / 1024 ** 2))
  const wanted = String(Math.floor(seen.max_upload_bytes / 1024 ** 2) + 1)
  if (tried.status === 200) return ok('uploadPassed', mib)
  if (tried.status === 0) return bad('uploadCut', 'upload', mib, wanted)
  // Any other refusal, such as one for too many requests, has nothing to do with the size.
  return tried.status === 413 ? bad('uploadRefused', 'upload', mib, wanted) : untold('uploadUnjudged', String(tried.status))
}

function clock ({ clockAheadS }: Met): Result {
  return clockAheadS !== null && Math.abs(clockAheadS) > clockToleranceS
    ? doubtful('clockWrong', 'clock', String(Math.round(Math.abs(clockAheadS))))
    : ok('clockRight')
}
