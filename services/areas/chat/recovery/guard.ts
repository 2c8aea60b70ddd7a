import { isDiskTrouble } from '../../../ground/database/index.js'
import { asError } from '../../../ground/errors.js'
import { type Log } from '../../../ground/log.js'
import { type OpenStream } from '../rows.js'

/** Returns undefined if the work failed, which is then logged. Errors of the disk are thrown: they are not caused by the stream. */
export type Guard = <T>(stream: Pick<OpenStream, 'streamId'>, work: () => T) => T | undefined
export type Report = (stream: Pick<OpenStream, 'streamId'>, error: Error) => void

/** Keeps a stream that cannot be read or closed as usual from blocking the other streams or the service. */
export function createGuard (log: Log): { guard: Guard, report: Report } {
  const report: Report = ({ streamId }, error) =>
    log('the rest of an interrupted turn could not be stored as usual', { streamId, reason: error.message })
  return {
    report,
    guard (stream, work) {
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
