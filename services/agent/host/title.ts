import { timeLimit } from '../../ground/time-limit.js'
import { taskLimitMs, type ResolvedModel } from '../engines/model-calls.js'
import { generateText } from '../engines/model-step.js'

const instruction = 'Write a title for this conversation: at most six words, in the language of the conversation, no quotation marks, no full stop. Answer with the title alone.'

/** A short title for a conversation's beginning, or null when the model gives nothing usable. */
export async function generateTitle (model: ResolvedModel, conversation: string): Promise<string | null> {
  const { text } = await generateText(model, instruction, conversation, 400, timeLimit(taskLimitMs(model, 15_000)).signal)
  const line = text.split('\n').map((candidate) => candidate.trim()).find((candidate) => candidate !== '')
  const title = line?.replace(/^(title|titel)\s*:\s*/i, '').replaceAll(/^["'“”«»*#\s]+|["'“”«»*\s.]+$/g, '') ?? ''
  return title === '' ? null : title
}
