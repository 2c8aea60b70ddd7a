import { timeLimit } from '../../ground/time-limit.js'
import { compress, estimateTokens, summaryMessage } from '../engines/compression.js'
import { withoutGaps } from '../engines/history.js'
import { taskLimitMs, type ResolvedModel } from '../engines/model-calls.js'
import { generateText } from '../engines/model-step.js'
import { type AuxTasks, type StepUsage } from '../protocol.js'

const limitMs = 180_000
const summaryTokens = 4_000
/** A person who asks for it wants everything but the last turn summarised, also where it is little. */
const fewest = 2

/** Summarises a conversation between its turns. Throws what the provider throws, and CompressionFailed. */
export async function compressHistory (
  model: ResolvedModel, { messages, summary, focus }: AuxTasks['compress']['input'], contextLength?: number
): Promise<AuxTasks['compress']['result']> {
  const history = withoutGaps(messages)
  if (summary !== null) history.unshift({ message: summaryMessage(summary), isRow: false })
  const usage: StepUsage = {
    inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: model.estimatesUsage === true
  }
  const compression = await compress({
    history,
    contextLength,
    focus,
    keepTokens: 0,
    fewest,
    summarise: async (text, instruction) => {
      const answer = await generateText(model, instruction, text, summaryTokens, timeLimit(taskLimitMs(model, limitMs)).signal)
      Object.assign(usage, answer.usage)
      return answer.text
    }
  })
  if (compression === null) return 'nothing'
  const { kept, keptRows } = compression
  return {
    summary: compression.summary,
    keptRows,
    tokensBefore: estimateTokens(history.map((entry) => entry.message)),
    tokensAfter: estimateTokens([summaryMessage(compression.summary), ...kept.map((entry) => entry.message)]),
    usage
  }
}
