import { Invalid } from '../../ground/errors.js'
import { foundIn, type Check, type Forge, type LogTail, type Pull } from './forge.js'
import { type Places } from './places.js'
import { requestToMend } from './texts.js'

/** What a turn is to fix: checks and threads by their ids, and the person's request; blank: the usual one. */
export interface ToFix { checks: readonly string[], threads: readonly string[], asked: string }

const mostMended = 5
const mostAnswered = 20

/** Reads why checks failed, for a person or for a turn that fixes them. Everything throws the errors of `places.get` and of the forge. */
export function createFixing (places: Pick<Places, 'get'>) {
  return {
    /** Returns the end of a check's log. Throws NotFound. */
    async log (sessionId: string, number: number, checkId: string): Promise<LogTail> {
      const { forge } = await places.get(sessionId)
      const pull = await forge.get(number)
      return await logOf(forge, pull, foundIn(await forge.checks(pull), checkId, 'check'))
    },

    /**
     * Returns the message of a turn that fixes checks, or does what comments ask for. Throws NotFound for items that no longer exist, and
     * Invalid.
     */
    async requestToMend (sessionId: string, number: number, { checks, threads, asked }: ToFix): Promise<string> {
      if (checks.length + threads.length === 0) throw new Invalid('Name the checks or comments to fix')
      const { forge } = await places.get(sessionId)
      const pull = await forge.get(number)
      const [allChecks, allThreads] = await Promise.all([
        checks.length === 0 ? [] : forge.checks(pull), threads.length === 0 ? [] : forge.threads(number)
      ])
      const failed = checks.slice(0, mostMended).map((id) => foundIn(allChecks, id, 'check'))
      return requestToMend(pull, {
        asked,
        failed: await Promise.all(failed.map(async (check) => ({ check, log: await logOf(forge, pull, check) }))),
        threads: threads.slice(0, mostAnswered).map((id) => foundIn(allThreads, id, 'comment'))
      })
    }
  }
}

async function logOf (forge: Forge, pull: Pull, { id, hasLog, summary }: Check): Promise<LogTail> {
  return hasLog ? await forge.log(pull, id) : { text: summary, isCut: false }
}
