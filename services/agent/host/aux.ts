import { type ResolvedModel } from '../engines/model-calls.js'
import { type AuxReply, type AuxRequest, type AuxTasks, type ModelRef, type StepUsage } from '../protocol.js'
import { writeCommitMessage } from './commit-message.js'
import { compressHistory } from './compress.js'
import { curateDocument } from './curate.js'
import { judgeGoal } from './judge.js'
import { probeModel } from './probe.js'
import { generateTitle } from './title.js'

/** A small model task beside the turns; never rejects. */
export async function answerAux (
  resolveModel: (ref: ModelRef) => Promise<ResolvedModel>, { requestId, model, ...request }: AuxRequest
): Promise<AuxReply> {
  const total: StepUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false }
  let isUsed = false
  try {
    const resolved = await resolveModel(model)
    const used = (usage: StepUsage): void => {
      isUsed = true
      total.inputTokens += usage.inputTokens
      total.outputTokens += usage.outputTokens
      total.cacheReadTokens += usage.cacheReadTokens
      total.cacheWriteTokens += usage.cacheWriteTokens
      total.estimated ||= usage.estimated || resolved.estimatesUsage === true
    }
    return { requestId, result: await perform({ ...resolved, used }, model, request), ...(isUsed ? { usage: total } : {}) }
  } catch (error) {
    return { requestId, result: null, error: error instanceof Error ? error.message : String(error), ...(isUsed ? { usage: total } : {}) }
  }
}

/** `task` says which of the inputs it is. */
async function perform (resolved: ResolvedModel, ref: ModelRef, { task, input }: Pick<AuxRequest, 'task' | 'input'>): Promise<unknown> {
  switch (task) {
    case 'title': return await generateTitle(resolved, input as AuxTasks['title']['input'])
    case 'judge': return await judgeGoal(resolved, input as AuxTasks['judge']['input'])
    case 'compress': return await compressHistory(resolved, input as AuxTasks['compress']['input'], ref.contextLength)
    case 'probe': return await probeModel(resolved, ref.id)
    case 'commit_message': return await writeCommitMessage(resolved, input as AuxTasks['commit_message']['input'])
    case 'curate': return await curateDocument(resolved, input as AuxTasks['curate']['input'], ref.maxOutputTokens)
  }
}
