import { type LanguageModelV4Content, type LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { wholeAnswer } from './answer.js'
import { readCompletion } from './chunk.js'

type Completion = ReturnType<typeof wholeAnswer>

/** A whole answer, where a stream was asked for; null: the text is none. */
export function completionIn (text: string): Completion | null {
  try {
    return wholeAnswer(readCompletion(text))
  } catch {
    return null
  }
}

/** What a stream of it would have said. */
export function asStream ({
  content, finishReason, usage, providerMetadata, response
}: Completion): ReadableStream<LanguageModelV4StreamPart> {
  const parts: LanguageModelV4StreamPart[] = [
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', ...response },
    ...content.flatMap((part, index) => streamed(part, String(index))),
    { type: 'finish', finishReason, usage, ...(providerMetadata !== undefined && { providerMetadata }) }
  ]
  return new ReadableStream({
    start (controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    }
  })
}

function streamed (part: LanguageModelV4Content, id: string): LanguageModelV4StreamPart[] {
  switch (part.type) {
    case 'text': return [{ type: 'text-start', id }, { type: 'text-delta', id, delta: part.text }, { type: 'text-end', id }]
    case 'reasoning': return [
      { type: 'reasoning-start', id }, { type: 'reasoning-delta', id, delta: part.text }, { type: 'reasoning-end', id }
    ]
    case 'tool-call': return [
      { type: 'tool-input-start', id: part.toolCallId, toolName: part.toolName },
      { type: 'tool-input-delta', id: part.toolCallId, delta: part.input },
      { type: 'tool-input-end', id: part.toolCallId },
      part
    ]
    default: return []
  }
}
