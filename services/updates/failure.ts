/** What may be said of an update beside its message. */
export interface Flags {
  up_to_date?: true
  lock_conflict?: true
  conflict?: true
  diverged?: true
  stash_conflict?: true
}

/** Why there was no update, for the person who asked. Everything is as it was before. */
export class UpdateFailed extends Error {
  constructor (message: string, readonly flags: Flags = {}) {
    super(message)
    this.name = 'UpdateFailed'
  }
}
