import { codeOf, DomainError, systemFailure, toldFailure } from '../../ground/errors.js'

/** What the answer to an update may say besides its message. */
export interface Flags {
  up_to_date?: true
  lock_conflict?: true
  conflict?: true
  diverged?: true
  stash_conflict?: true
}

/** Why there was no update, for the person who asked. The installation is unchanged. */
export class UpdateFailed extends Error {
  constructor (message: string, readonly flags: Flags = {}) {
    super(message)
    this.name = 'UpdateFailed'
  }
}

export const noRoom = 'There is no room left on the disk for another version beside this one, so nothing was changed. Make room, and update again'

/** Throws UpdateFailed if a program failed because a disk was full, whichever it was. */
export function refuseWithoutRoom (said: string): void {
  if (toldFailure(said) !== null) throw new UpdateFailed(noRoom)
}

/** Returns an error as a failure with its flags; null for an unexpected one. */
export function failureOf (error: unknown): UpdateFailed | null {
  if (error instanceof UpdateFailed) return error
  const failure = error instanceof DomainError ? error : systemFailure(error)
  if (failure === null) return null
  const code = codeOf(failure)
  return code === 'disk_full'
    ? new UpdateFailed(noRoom)
    : new UpdateFailed(failure.message, code === 'operation_in_progress' ? { lock_conflict: true } : {})
}
