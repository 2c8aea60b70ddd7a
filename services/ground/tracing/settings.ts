import { tried } from '../tried.js'
import { areTracesWanted, exportersIn, tracingVariable, type TracingVariable } from './variables.js'
import { type Sampling } from './sampler.js'

type Environment = Readonly<Record<string, string | undefined>>

export interface TracingSettings {
  /** The address that spans are sent to. */
  url: URL
  encoding: 'json' | 'protobuf'
  /** Headers that authenticate the sender. They are secret. */
  headers: Record<string, string>
  isCompressed: boolean
  /** How long one request may take. */
  timeoutMs: number
  /** Attributes that are the same for all spans. */
  resource: Record<string, string>
  sampling: Sampling
  /** Whether context is accepted from callers and passed on to the services that are called. */
  propagates: boolean
  /** Whether texts are sent too: messages, arguments and results of tools. */
  hasTexts: boolean
  batches: Batches
}

/** How spans are gathered. `exportMs`: how long one batch may take, including retries. */
export interface Batches { delayMs: number, mostWaiting: number, mostAtOnce: number, exportMs: number }

const usualUrl = 'http://localhost:4318'
const serviceName = 'agent-web-service'
const longestMs = 2 ** 31 - 1

const usualSampler = (): Sampling => ({ isParentBased: true, ratio: 1 })
const samplers: Readonly<Record<string, (ratio: number) => Sampling>> = {
  always_on: () => ({ isParentBased: false, ratio: 1 }),
  always_off: () => ({ isParentBased: false, ratio: 0 }),
  traceidratio: (ratio) => ({ isParentBased: false, ratio }),
  parentbased_always_on: usualSampler,
  parentbased_always_off: () => ({ isParentBased: true, ratio: 0 }),
  parentbased_traceidratio: (ratio) => ({ isParentBased: true, ratio })
}

/**
 * Reads the variables of OpenTelemetry. `settings` is null if traces are not requested, or cannot be sent as requested. `remarks` are
 * sentences about settings that are not applied as requested: an invalid variable never prevents the service from starting. No remark
 * contains a value that may be secret.
 */
export function readTracing (env: Environment, version: string): { settings: TracingSettings | null, remarks: string[] } {
  const remarks: string[] = []
  if (!areTracesWanted(env)) return { settings: null, remarks }
  if (!exportersIn(env).includes('otlp')) {
    return { settings: null, remarks: ['OTEL_TRACES_EXPORTER: only otlp is served, so no traces are sent.'] }
  }
  const url = urlOf(env)
  if (url === null) {
    return { settings: null, remarks: ['OTEL_EXPORTER_OTLP_ENDPOINT must be an address that begins with http:// or https:// and holds no password, so no traces are sent.'] }
  }
  const encoding = either(env, 'PROTOCOL') ?? 'http/protobuf'
  if (encoding !== 'http/protobuf' && encoding !== 'http/json') {
    return { settings: null, remarks: [`OTEL_EXPORTER_OTLP_PROTOCOL=${encoding.slice(0, 40)}: only http/protobuf and http/json are served, so no traces are sent. Collectors take both, usually at port 4318.`] }
  }
  const compression = either(env, 'COMPRESSION') ?? 'none'
  if (compression !== 'gzip' && compression !== 'none') remarks.push('OTEL_EXPORTER_OTLP_COMPRESSION: only gzip is served; traces are sent as they are.')
  const number = numbersOf(env, remarks)
  const mostWaiting = number('OTEL_BSP_MAX_QUEUE_SIZE', 2_048, 1, 1_000_000)
  return {
    remarks,
    settings: {
      url,
      encoding: encoding === 'http/json' ? 'json' : 'protobuf',
      headers: headersOf(env, remarks),
      isCompressed: compression === 'gzip',
      timeoutMs: number(tracingVariable(env, 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT') === undefined ? 'OTEL_EXPORTER_OTLP_TIMEOUT' : 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 10_000, 1),
      resource: resourceOf(env, version, remarks),
      sampling: samplingOf(env, remarks),
      propagates: propagatesIn(env, remarks),
      hasTexts: ['true', 'span_only', 'span_and_event'].includes(tracingVariable(env, 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT')?.toLowerCase() ?? ''),
      batches: {
        delayMs: number('OTEL_BSP_SCHEDULE_DELAY', 5_000, 0),
        mostWaiting,
        mostAtOnce: Math.min(mostWaiting, number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, 1, 1_000_000)),
        exportMs: number('OTEL_BSP_EXPORT_TIMEOUT', 30_000, 1)
      }
    }
  }
}

/** Variables for traces take precedence over those for all signals. */
const either = (env: Environment, what: 'PROTOCOL' | 'COMPRESSION' | 'HEADERS'): string | undefined =>
  tracingVariable(env, `OTEL_EXPORTER_OTLP_TRACES_${what}`) ?? tracingVariable(env, `OTEL_EXPORTER_OTLP_${what}`)

function urlOf (env: Environment): URL | null {
  const own = tracingVariable(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const text = own ?? `${(tracingVariable(env, 'OTEL_EXPORTER_OTLP_ENDPOINT') ?? usualUrl).replace(/\/+$/, '')}/v1/traces`
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? url : null
}

function numbersOf (env: Environment, remarks: string[]) {
  return (name: TracingVariable, usual: number, least: number, most = longestMs): number => {
    const text = tracingVariable(env, name)
    if (text === undefined) return usual
    const value = Number(text)
    if (Number.isInteger(value) && value >= least && value <= most) return value
    remarks.push(`${name} must be a whole number from ${least} to ${most}; ${usual} is used.`)
    return usual
  }
}

function samplingOf (env: Environment, remarks: string[]): Sampling {
  const name = tracingVariable(env, 'OTEL_TRACES_SAMPLER')?.toLowerCase() ?? 'parentbased_always_on'
  const make = Object.hasOwn(samplers, name) ? samplers[name] : undefined
  const ratio = Number(tracingVariable(env, 'OTEL_TRACES_SAMPLER_ARG') ?? '1')
  const isRatio = ratio >= 0 && ratio <= 1
  if (make === undefined) remarks.push('OTEL_TRACES_SAMPLER is none that is served, so every trace is recorded that its caller records.')
  else if (!isRatio && name.endsWith('traceidratio')) remarks.push('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1; 1 is used.')
  return (make ?? usualSampler)(isRatio ? ratio : 1)
}

/** Whether trace context is propagated. Baggage is neither accepted nor passed on. */
function propagatesIn (env: Environment, remarks: string[]): boolean {
  const names = (tracingVariable(env, 'OTEL_PROPAGATORS') ?? 'tracecontext').toLowerCase().split(',').map((name) => name.trim())
  if (names.some((name) => !['tracecontext', 'baggage', 'none'].includes(name))) {
    remarks.push('OTEL_PROPAGATORS: only tracecontext is served.')
  }
  return names.includes('tracecontext')
}

function headersOf (env: Environment, remarks: string[]): Record<string, string> {
  const headers = Object.fromEntries(pairsIn(either(env, 'HEADERS') ?? '', 'OTEL_EXPORTER_OTLP_HEADERS', remarks))
  try {
    void new Headers(headers)
    return headers
  } catch {
    remarks.push('OTEL_EXPORTER_OTLP_HEADERS holds what cannot be a header, so none is sent.')
    return {}
  }
}

function resourceOf (env: Environment, version: string, remarks: string[]): Record<string, string> {
  const named = tracingVariable(env, 'OTEL_SERVICE_NAME')
  return {
    'service.name': serviceName,
    'service.version': version,
    ...Object.fromEntries(pairsIn(tracingVariable(env, 'OTEL_RESOURCE_ATTRIBUTES') ?? '', 'OTEL_RESOURCE_ATTRIBUTES', remarks)),
    ...(named !== undefined && { 'service.name': named })
  }
}

/** Reads `name=value,name=value`. Values are percent-decoded, as in an address (`%20`). */
function pairsIn (text: string, name: TracingVariable, remarks: string[]): Array<[string, string]> {
  const parts = text.split(',').map((part) => part.trim()).filter((part) => part !== '')
  const pairs = parts.flatMap((part): Array<[string, string]> => {
    const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(part) ?? []
    return key.trim() === '' ? [] : [[key.trim(), decoded(value.trim())]]
  })
  if (pairs.length < parts.length) remarks.push(`${name} must be written like name=value,other=value; what is written in another way is left out.`)
  return pairs
}

const decoded = (text: string): string => tried(() => decodeURIComponent(text), text)
