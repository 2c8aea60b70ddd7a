import { Invalid } from '../../ground/errors.js'
import { foundIn, type Check, type Forge, type LogTail, type Pull } from './forge.js'
import { type Places } from './places.js'
import { requestToMend } from './texts.js'

/** What a turn is to mend: checks and threads by their ids, and what a person asks; blank: what is usual. */
export interface ToMend { checks: readonly string[], threads: readonly string[], asked: string }

const mostMended = 5
const mostAnswered = 20

/** Reads why checks failed, for a person or for a turn that mends them. Everything throws what `places.get` and the forge throw. */
export function createMending (places: Pick<Places, 'get'>) {
  return {
    /** The end of the log of a check. Throws NotFound. */
    async log (sessionId: string, number: number, checkId: string): Promise<LogTail> {
      const { forge } = await places.get(sessionId)
      const pull = await forge.get(number)
      return await logOf(forge, pull, foundIn(await forge.checks(pull), checkId, 'check'))
    },

    /** The message of a turn that mends checks, or what comments ask for. Throws NotFound for what is not there any more, and Invalid. */
    async requestToMend (sessionId: string, number: number, { checks, threads, asked }: ToMend): Promise<string> {
      if (checks.length + threads.length === 0) throw new Invalid('Name the checks or the comments that are to be mended')
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
