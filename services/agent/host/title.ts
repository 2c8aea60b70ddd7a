import { type ResolvedModel } from '../engines/loop.js'

const instruction = 'Write a title for this conversation: at most six words, in the language of the conversation, no quotation marks, no full stop. Answer with the title alone.'

/** A short title for a conversation's beginning, or null when the model gives nothing usable. */
export async function generateTitle ({ model, providerOptions }: ResolvedModel, conversation: string): Promise<string | null> {
  const { content } = await model.doGenerate({
    prompt: [
      { role: 'system', content: instruction },
      { role: 'user', content: [{ type: 'text', text: conversation }] }
    ],
    maxOutputTokens: 400,
    providerOptions,
    abortSignal: AbortSignal.timeout(15_000)
  })
  const text = content.map((part) => part.type === 'text' ? part.text : '').join(' ')
  const line = text.replaceAll(/<think>[\s\S]*?<\/think>/g, '').split('\n').map((candidate) => candidate.trim()).find((candidate) => candidate !== '')
  const title = line?.replace(/^(title|titel)\s*:\s*/i, '').replaceAll(/^["'“”«»*#\s]+|["'“”«»*\s.]+$/g, '') ?? ''
  return title === '' ? null : title
}
