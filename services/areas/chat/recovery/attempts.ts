import { isDiskTrouble } from '../../../ground/database/index.js'
import { asError } from '../../../ground/errors.js'
import { type OpenStream } from '../rows.js'

/** Undefined when it went wrong, which the log then has. A disk that does not take writes is no stream's fault. */
export type Attempt = <T>(stream: Pick<OpenStream, 'streamId'>, work: () => T) => T | undefined
export type Report = (stream: Pick<OpenStream, 'streamId'>, error: Error) => void

/** One stream that cannot be looked at or closed as usual keeps neither the others nor the service from going on. */
export function createAttempts (log: (message: string, details: Record<string, unknown>) => void): { attempt: Attempt, report: Report } {
  const report: Report = ({ streamId }, error) =>
    log('the rest of an interrupted turn could not be stored as usual', { streamId, reason: error.message })
  return {
    report,
    attempt (stream, work) {
      try {
        return work()
      } catch (error) {
        if (isDiskTrouble(error)) throw error
        report(stream, asError(error))
        return undefined
      }
    }
  }
}
