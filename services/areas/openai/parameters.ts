import { type SamplingOptions } from '../../agent/protocol.js'
import { isEffort } from '../../providers/index.js'
import { fieldsOf, isRecord } from '../../ground/fields.js'
import { RequestRefused } from './failures.js'

/**
 * How a parameter is treated: it is used; it is accepted, because it labels a request or makes it faster and never changes an answer; or it
 * is refused if `refuses` returns a reason for its value.
 */
type Parameter = 'used' | 'accepted' | { refuses: (value: unknown) => string | null }

const never = (reason: string): Parameter => ({ refuses: () => reason })
const unless = (fits: (value: unknown) => boolean, reason: string): Parameter => ({ refuses: (value) => fits(value) ? null : reason })
const isEmpty = (value: unknown): boolean =>
  value === false || value === 0 || (Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0)

const within = (least: number, most: number): Parameter =>
  unless((value) => typeof value === 'number' && value >= least && value <= most, `must be a number from ${least} to ${most}`)
const count = unless((value) => Number.isSafeInteger(value) && Number(value) >= 1, 'must be a whole number from 1')
const integer = unless((value) => Number.isSafeInteger(value), 'must be a whole number')
/** Refuses objects that have other keys than these, unless they are null or switched off. */
const only = (...names: string[]): Parameter => ({
  refuses (value) {
    const [other] = Object.entries(fieldsOf(value)).find(([name, part]) => part !== null && part !== false && !names.includes(name)) ?? []
    return other === undefined ? null : `${other.slice(0, 100)} is not supported`
  }
})
const verbosities = unless((value) => value === 'low' || value === 'medium' || value === 'high', 'must be low, medium or high')
const noProbabilities = unless(isEmpty, 'there are no probabilities of tokens')
const ofOpenAi = never('this belongs to OpenAI\'s own service')

const efforts = unless((value) => isEffort(value), 'must be one of none, minimal, low, medium, high, xhigh, max')

const common: Record<string, Parameter> = {
  model: 'used',
  stream: 'used',
  stream_options: only('include_usage'),
  tools: 'used',
  tool_choice: 'used',
  parallel_tool_calls: 'used',
  metadata: 'used',
  temperature: within(0, 2),
  top_p: within(0, 1),
  store: 'used',
  user: 'accepted',
  safety_identifier: 'accepted',
  prompt_cache_key: 'accepted',
  prompt_cache_retention: 'accepted',
  prompt_cache_options: 'accepted',
  service_tier: unless((value) => value === 'auto' || value === 'default', 'there are no tiers'),
  moderation: ofOpenAi
}

const completions: Record<string, Parameter> = {
  ...common,
  messages: 'used',
  response_format: 'used',
  reasoning_effort: efforts,
  metadata: 'accepted',
  max_tokens: count,
  max_completion_tokens: count,
  frequency_penalty: within(-2, 2),
  presence_penalty: within(-2, 2),
  seed: integer,
  verbosity: verbosities,
  prediction: 'accepted',
  n: unless((value) => value === 1, 'there is one answer'),
  stop: unless(isEmpty, 'answers end by themselves'),
  logit_bias: unless(isEmpty, 'words of the agent cannot be weighted'),
  logprobs: noProbabilities,
  top_logprobs: noProbabilities,
  modalities: unless((value) => Array.isArray(value) && value.every((modality) => modality === 'text'), 'answers are text'),
  audio: never('answers are text'),
  functions: unless(isEmpty, 'use tools instead'),
  function_call: unless((value) => value === 'auto' || value === 'none', 'use tool_choice instead'),
  web_search_options: never('the agent searches with its own tools')
}

const harmlessIncludes = new Set([
  'reasoning.encrypted_content', 'file_search_call.results', 'web_search_call.results', 'web_search_call.action.sources',
  'message.input_image.image_url', 'computer_call_output.output.image_url', 'code_interpreter_call.outputs'
])

const responses: Record<string, Parameter> = {
  ...common,
  input: 'used',
  instructions: 'used',
  previous_response_id: 'used',
  background: 'used',
  text: only('format', 'verbosity'),
  reasoning: only('effort', 'summary'),
  max_output_tokens: count,
  truncation: unless((value) => value === 'auto', 'conversations that grow too long are summarised'),
  include: unless((value) => Array.isArray(value) && value.every((name) => harmlessIncludes.has(name)), 'logprobs are not supported'),
  max_tool_calls: never('the agent decides how many of its tools it calls'),
  top_logprobs: noProbabilities,
  conversation: never('use previous_response_id, or the header X-Session-Id'),
  context_management: never('the agent summarises long conversations itself'),
  prompt: never('stored prompts are not supported; send the text as instructions or input'),
  image: never('images are shown as they are'),
  background_options: ofOpenAi,
  access_programs: ofOpenAi
}

/** The parameters of which a part is checked like a parameter of its own. */
const parts: Record<string, Record<string, Parameter>> = {
  // Whether there is a summary is up to the model with `auto`.
  reasoning: { effort: efforts, summary: unless((value) => value === 'auto', 'there are no summaries of reasoning') },
  text: { verbosity: verbosities }
}

const known = { completions, responses }

/** Refuses parameters that would change the answer but are not supported, and unknown ones. Throws RequestRefused. */
export function refuseUnable (body: Record<string, unknown>, kind: keyof typeof known): void {
  for (const [name, value] of Object.entries(body)) {
    const parameter = Object.hasOwn(known[kind], name) ? known[kind][name] : undefined
    if (parameter === undefined) throw new RequestRefused(`Unknown parameter: '${name.slice(0, 100)}'.`, name.slice(0, 100), 'unknown_parameter')
    refuseValue(name, parameter, value)
    for (const [part, own] of Object.entries(parts[name] ?? {})) refuseValue(`${name}.${part}`, own, fieldsOf(value)[part])
  }
}

function refuseValue (name: string, parameter: Parameter, value: unknown): void {
  if (typeof parameter === 'string' || value === null || value === undefined) return
  const reason = parameter.refuses(value)
  if (reason !== null) throw new RequestRefused(`Unsupported value: '${name}': ${reason}.`, name, 'unsupported_parameter')
}

/** The sampling options of a body, whose values have been checked. */
export interface SamplingFields {
  temperature?: number, top_p?: number, frequency_penalty?: number, presence_penalty?: number, seed?: number
}

const verbosityTexts: Record<string, string> = { low: 'Answer briefly.', high: 'Answer at length and in detail.' }

/** Returns what the model reads for a value of `verbosity`, which only some models take as an option; empty for the default. */
export const verbosityInWords = (verbosity: string | null | undefined): string => verbosityTexts[verbosity ?? ''] ?? ''

/** Returns the sampling options of a body; undefined if it has none. */
export function samplingOf (
  { temperature, top_p: topP, frequency_penalty: frequencyPenalty, presence_penalty: presencePenalty, seed }: SamplingFields
): SamplingOptions | undefined {
  const given = Object.entries({ temperature, topP, frequencyPenalty, presencePenalty, seed }).filter(([, value]) => value !== undefined)
  return given.length === 0 ? undefined : Object.fromEntries(given)
}
