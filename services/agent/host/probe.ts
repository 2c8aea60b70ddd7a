import { classifyModelError } from '../../providers/index.js'
import { timeLimit } from '../../ground/time-limit.js'
import { type ResolvedModel } from '../engines/model-calls.js'
import { generateText } from '../engines/model-step.js'
import { type ProbeResult } from '../protocol.js'

/** Some models think before they speak, and refuse a smaller limit. */
const mostTokens = 64
const waitMs = 25_000

/** Asks a model for one word; never rejects. */
export async function probeModel (model: ResolvedModel, modelId: string): Promise<ProbeResult> {
  try {
    await generateText(model, 'You are asked whether you can be reached.', 'Answer with OK.', mostTokens, timeLimit(waitMs).signal)
    return { ok: true }
  } catch (error) {
    const { type, message } = classifyModelError(error, { provider: { displayName: model.providerName }, modelId })
    return { ok: false, type, message }
  }
}
