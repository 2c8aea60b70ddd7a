import { isEffort } from '../../providers/index.js'
import { fieldsOf, isRecord } from '../../ground/fields.js'
import { RequestRefused } from './failures.js'

/**
 * How a parameter is treated: it is used; it is accepted without effect, as docs/openai.md says; or it is refused if `refuses` returns a
 * reason for its value.
 */
type Parameter = 'used' | 'accepted' | { refuses: (value: unknown) => string | null }

const never = (reason: string): Parameter => ({ refuses: () => reason })
const unless = (fits: (value: unknown) => boolean, reason: string): Parameter => ({ refuses: (value) => fits(value) ? null : reason })
const isEmpty = (value: unknown): boolean =>
  value === false || value === 0 || (Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0)

const efforts = unless((value) => isEffort(value), 'must be one of none, minimal, low, medium, high, xhigh, max')

const common: Record<string, Parameter> = {
  model: 'used',
  stream: 'used',
  stream_options: unless((value) => fieldsOf(value).include_obfuscation !== true, 'include_obfuscation is not supported'),
  tools: 'used',
  tool_choice: 'used',
  parallel_tool_calls: 'used',
  metadata: 'used',
  temperature: 'accepted',
  top_p: 'accepted',
  store: 'accepted',
  user: 'accepted',
  safety_identifier: 'accepted',
  prompt_cache_key: 'accepted',
  prompt_cache_retention: 'accepted',
  service_tier: 'accepted'
}

const completions: Record<string, Parameter> = {
  ...common,
  messages: 'used',
  response_format: 'used',
  reasoning_effort: efforts,
  metadata: 'accepted',
  max_tokens: 'accepted',
  max_completion_tokens: 'accepted',
  frequency_penalty: 'accepted',
  presence_penalty: 'accepted',
  seed: 'accepted',
  verbosity: 'accepted',
  prediction: 'accepted',
  n: unless((value) => value === 1, 'there is one answer'),
  stop: unless(isEmpty, 'answers end by themselves'),
  logit_bias: unless(isEmpty, 'words of the agent cannot be weighted'),
  logprobs: unless(isEmpty, 'there are no probabilities of tokens'),
  top_logprobs: unless(isEmpty, 'there are no probabilities of tokens'),
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
  text: 'used',
  reasoning: { refuses: (value) => reasoningProblem(fieldsOf(value).effort) },
  max_output_tokens: 'accepted',
  truncation: 'accepted',
  include: unless((value) => Array.isArray(value) && value.every((name) => harmlessIncludes.has(name)), 'logprobs are not supported'),
  max_tool_calls: never('the agent decides how many of its tools it calls'),
  top_logprobs: unless(isEmpty, 'there are no probabilities of tokens'),
  conversation: never('use previous_response_id, or the header X-Session-Id'),
  context_management: never('the agent summarises long conversations itself'),
  prompt: never('stored prompts are not supported; send the text as instructions or input')
}

const reasoningProblem = (effort: unknown): string | null =>
  effort === undefined || effort === null || isEffort(effort) ? null : 'effort must be one of none, minimal, low, medium, high, xhigh, max'

const known = { completions, responses }

/** Refuses parameters that would change the answer but are not supported, and unknown ones. Throws RequestRefused. */
export function refuseUnable (body: Record<string, unknown>, kind: keyof typeof known): void {
  for (const [name, value] of Object.entries(body)) {
    const parameter = Object.hasOwn(known[kind], name) ? known[kind][name] : undefined
    if (parameter === undefined) throw new RequestRefused(`Unknown parameter: '${name.slice(0, 100)}'.`, name.slice(0, 100), 'unknown_parameter')
    if (typeof parameter === 'string' || value === null) continue
    const reason = parameter.refuses(value)
    if (reason !== null) throw new RequestRefused(`Unsupported value: '${name}': ${reason}.`, name, 'unsupported_parameter')
  }
}
