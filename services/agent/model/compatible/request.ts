import {
  type LanguageModelV4CallOptions, type LanguageModelV4FilePart, type LanguageModelV4Message, type LanguageModelV4ToolResultOutput,
  type SharedV4ProviderOptions, UnsupportedFunctionalityError
} from '@ai-sdk/provider'
import { metadataKey } from './answer.js'

type Fields = Record<string, unknown>
type Assistant = Extract<LanguageModelV4Message, { role: 'assistant' }>
type User = Extract<LanguageModelV4Message, { role: 'user' }>

/** The call options that a request can express, in its body or outside it. */
const known = new Set([
  'prompt', 'tools', 'toolChoice', 'responseFormat', 'maxOutputTokens', 'temperature', 'topP', 'frequencyPenalty', 'presencePenalty',
  'seed', 'providerOptions', 'abortSignal', 'includeRawChunks', 'headers'
])

/**
 * Returns the body of a request for a chat completion in one piece (OpenAI API reference, "Create chat completion"). Throws
 * UnsupportedFunctionalityError for options that the service never uses.
 */
export function requestBody (modelId: string, options: LanguageModelV4CallOptions): Fields {
  const rare = Object.entries(options).find(([name, value]) => value !== undefined && !known.has(name))
  if (rare !== undefined) throw new UnsupportedFunctionalityError({ functionality: rare[0] })
  const { prompt, tools = [], toolChoice, responseFormat, providerOptions } = options
  return {
    model: modelId,
    max_tokens: options.maxOutputTokens,
    temperature: options.temperature,
    top_p: options.topP,
    frequency_penalty: options.frequencyPenalty,
    presence_penalty: options.presencePenalty,
    seed: options.seed,
    reasoning_effort: providerOptions?.[metadataKey]?.reasoningEffort,
    messages: prompt.flatMap(messagesOf),
    ...(responseFormat?.type === 'json' ? { response_format: formatOf(responseFormat, providerOptions) } : {}),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(toolOf),
          tool_choice: toolChoice?.type === 'tool' ? { type: 'function', function: { name: toolChoice.toolName } } : toolChoice?.type
        })
  }
}

function formatOf (
  { schema, name = 'response', description }: Extract<LanguageModelV4CallOptions['responseFormat'], { type: 'json' }>,
  options: SharedV4ProviderOptions | undefined
): Fields {
  if (schema === undefined) return { type: 'json_object' }
  const strict = options?.[metadataKey]?.strictJsonSchema === true
  return { type: 'json_schema', json_schema: { name, schema, strict, ...(description === undefined ? {} : { description }) } }
}

function toolOf (tool: NonNullable<LanguageModelV4CallOptions['tools']>[number]): Fields {
  if (tool.type !== 'function') throw new UnsupportedFunctionalityError({ functionality: 'a tool of a provider' })
  const { name, description, inputSchema: parameters, strict } = tool
  return { type: 'function', function: { name, description, parameters, ...(strict == null ? {} : { strict }) } }
}

function messagesOf (message: LanguageModelV4Message): Fields[] {
  const own = ownFields(message)
  switch (message.role) {
    case 'system': return [{ role: 'system', content: message.content, ...own }]
    case 'user': return [userMessage(message, own)]
    case 'assistant': return [assistantMessage(message, own)]
    case 'tool': return message.content.flatMap((part) => part.type !== 'tool-result'
      ? []
      : [{ role: 'tool', tool_call_id: part.toolCallId, content: resultText(part.output), ...ownFields(part) }])
  }
}

function userMessage ({ content }: User, own: Fields): Fields {
  const [first, ...others] = content
  // A single text is sent as a string, because some servers accept nothing else.
  if (first?.type === 'text' && others.length === 0) return { role: 'user', content: first.text, ...ownFields(first) }
  return {
    role: 'user', content: content.map((part) => ({
      ...(part.type === 'text' ? { type: 'text', text: part.text } : imagePart(part)), ...ownFields(part)
    })), ...own
  }
}

function imagePart ({ mediaType, data }: LanguageModelV4FilePart): Fields {
  if (!mediaType.startsWith('image/')) throw new UnsupportedFunctionalityError({ functionality: `a file of the type ${mediaType}` })
  if (data.type === 'url') return { type: 'image_url', image_url: { url: String(data.url) } }
  if (data.type !== 'data') throw new UnsupportedFunctionalityError({ functionality: `an image given as ${data.type}` })
  const bytes = data.data
  const base64 = typeof bytes === 'string' ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  return { type: 'image_url', image_url: { url: `data:${mediaType === 'image/*' ? 'image/jpeg' : mediaType};base64,${base64}` } }
}

function assistantMessage ({ content }: Assistant, own: Fields): Fields {
  const told = (type: 'text' | 'reasoning'): string => content.map((part) => part.type === type ? part.text : '').join('')
  const text = told('text')
  const reasoning = told('reasoning')
  const calls = content.flatMap((part): Fields[] => {
    if (part.type !== 'tool-call') return []
    const signature = part.providerOptions?.[metadataKey]?.thoughtSignature ?? part.providerOptions?.google?.thoughtSignature
    return [{
      id: part.toolCallId,
      type: 'function',
      function: { name: part.toolName, arguments: argumentsOf(part.input) },
      ...ownFields(part),
      ...(signature ? { extra_content: { google: { thought_signature: String(signature) } } } : {})
    }]
  })
  return {
    role: 'assistant',
    content: calls.length > 0 && text === '' ? null : text,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...own
  }
}

/** Returns the arguments that a model has written, unchanged if they are JSON. */
function argumentsOf (input: unknown): string {
  try {
    if (typeof input !== 'string') return JSON.stringify(input)
    JSON.parse(input)
    return input
  } catch {
    return JSON.stringify(input)
  }
}

function resultText (output: LanguageModelV4ToolResultOutput): string {
  switch (output.type) {
    case 'text':
    case 'error-text': return output.value
    case 'execution-denied': return output.reason ?? 'Tool call execution denied.'
    case 'content':
    case 'json':
    case 'error-json': return JSON.stringify(output.value)
  }
}

/** Returns the data that such a server has sent with a part and needs back. */
function ownFields ({ providerOptions }: { providerOptions?: SharedV4ProviderOptions }): Fields {
  return providerOptions?.[metadataKey] ?? {}
}
