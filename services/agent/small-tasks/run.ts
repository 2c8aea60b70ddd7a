import { asError } from '../../ground/errors.js'
import { isKeyOf } from '../../ground/one-of.js'
import { timeLimit } from '../../ground/time/time-limit.js'
import { placeOf, taskLimitMs, type ResolvedModel } from '../engines/model-calls.js'
import { generateText } from '../engines/whole-answer.js'
import { type ModelRef, type SmallTaskReply, type SmallTaskRequest, type StepUsage } from '../protocol.js'
import { smallTasks, type SmallTaskInput, type SmallTaskName, type SmallTaskResult } from './tasks.js'

/** Asks a model to do a small task. Throws the provider's error, a time-out, and the reason of `signal`. */
export async function runSmallTask<Name extends SmallTaskName> (
  name: Name, input: SmallTaskInput<Name>, { ref, resolved, signal }: { ref: ModelRef, resolved: ResolvedModel, signal?: AbortSignal }
): Promise<SmallTaskResult<Name>> {
  const { instruction: usual, maxTokens: most, limitMs, perform } = smallTasks[name]
  const limit = timeLimit(taskLimitMs(resolved, limitMs[placeOf(resolved)]), signal === undefined ? [] : [signal])
  try {
    // TypeScript cannot relate the input and the result to one of several tasks.
    return await perform(input as never, {
      ref,
      providerName: resolved.providerName,
      ask: async (material, { instruction = usual, maxTokens = most } = {}) =>
        (await generateText(resolved, instruction, material, maxTokens, limit.signal)).text
    }) as SmallTaskResult<Name>
  } finally {
    limit.clear()
  }
}

/** Answers the web tier, which has asked for a small task outside a turn. Never rejects. */
export async function answerSmallTask (
  resolveModel: (ref: ModelRef) => Promise<ResolvedModel>, { requestId, model: ref, task, input }: SmallTaskRequest
): Promise<SmallTaskReply> {
  let usage: StepUsage | undefined
  const reply = (result: unknown, error?: string): SmallTaskReply =>
    ({ requestId, result, ...(error !== undefined && { error }), ...(usage !== undefined && { usage }) })
  try {
    if (!isKeyOf(smallTasks, task)) return reply(null, 'There is no such small task')
    const resolved = await resolveModel(ref)
    const used = (counted: StepUsage): void => { usage = { ...counted, estimated: counted.estimated || resolved.estimatesUsage === true } }
    // The web tier has made the input for this task.
    return reply(await runSmallTask(task, input as never, { ref, resolved: { ...resolved, used } }))
  } catch (error) {
    return reply(null, asError(error).message)
  }
}
