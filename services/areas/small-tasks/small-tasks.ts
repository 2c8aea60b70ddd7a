import { smallTasks, type AgentRuntime, type SmallTaskInput, type SmallTaskName, type SmallTaskResult } from '../../agent/index.js'
import { type StepUsage } from '../../agent/protocol.js'
import { Conflict } from '../../ground/errors.js'
import { remoteFolder } from '../../ground/remote-folder.js'
import { type Account, type Budgets } from '../budgets/index.js'
import { type ModelChooser } from '../models/index.js'

/** A little more time than the model itself gets. */
const graceMs = 10_000

export interface SmallTasksOptions {
  agent: Pick<AgentRuntime, 'smallTask'>
  budgets: Pick<Budgets, 'assertLeft' | 'counting'>
  chooser: Pick<ModelChooser, 'choose' | 'forSmallTask'>
  /** Wraps the execution of a task, to measure how long it takes and what it uses. Default: runs it directly. */
  around?: <T>(
    task: { task: string, provider: string, model: string, turn: string | null }, work: (used: (usage: StepUsage) => void) => Promise<T>
  ) => Promise<T>
}

interface TaskOptions {
  /** Which account pays for it; its profile's models do it. */
  account: Account
  /** The folder whose machine does it; default: this machine. */
  workspace?: string
  /** The model to use, unless the profile names one for the task. */
  fallback?: { model?: string | undefined, provider?: string | undefined }
  /** The model that a person has chosen: no other one may be used. */
  model?: { model: string, provider?: string | undefined }
}

/** Has the models of profiles do small tasks besides the turns; `services/agent/small-tasks/tasks.ts` defines them. */
export function createSmallTasks ({ agent, budgets, chooser, around = async (_, work) => await work(() => {}) }: SmallTasksOptions) {
  return {
    /**
     * Returns null if there was no answer in time. Throws Conflict if a budget is used up, or no model can do the task ({@link isNoModel}).
     */
    async run<Name extends Exclude<SmallTaskName, 'probe'>> (
      name: Name, input: SmallTaskInput<Name>, { account, workspace = '', fallback = {}, model }: TaskOptions
    ): Promise<SmallTaskResult<Name> | null> {
      const { slot, demo, limitMs } = smallTasks[name]
      budgets.assertLeft(account)
      const choice = model === undefined
        ? await chooser.forSmallTask(account.profile, slot.task, fallback)
        : await chooser.choose(account.profile, model)
      if ('error' in choice) throw new Conflict(choice.error, 'no_model')
      if (demo !== true && choice.ref.provider === 'offline-demo') {
        throw new Conflict('The demo cannot do this. Set up a model', 'no_model')
      }
      const seat = { profile: account.profile, machine: remoteFolder(workspace)?.machine }
      const request = { task: name, model: choice.ref, input }
      const count = budgets.counting(name, account, choice)
      const { provider, id } = choice.ref
      return await around({ task: name, provider, model: id, turn: account.turn ?? null }, async (used) =>
        await agent.smallTask(seat, request, limitMs.local + graceMs, (usage) => {
          used(usage)
          count(usage)
        }))
    }
  }
}

export type SmallTasks = ReturnType<typeof createSmallTasks>

/** Whether a small task failed because the profile has no model that can do it. */
export const isNoModel = (error: unknown): error is Conflict => error instanceof Conflict && error.code === 'no_model'
