import { codeOf, Conflict, DomainError, Forbidden, Invalid, NotFound, TooLarge, Unavailable } from '../../ground/errors.js'
import { refuse } from '../place/place.js'

/** Returns a `catch` handler for changes: `refuse`, extended by errors that occur only when something is written or moved. */
export function explain (missing: string): (error: unknown) => never {
  const usual = refuse(missing)
  return (error) => {
    if (error instanceof DomainError) throw error
    switch (codeOf(error)) {
      case 'EEXIST': case 'ENOTEMPTY': throw nameTaken()
      case 'EXDEV': throw new Invalid('This would move it to another disk. Copy it there and delete it here instead.', 'other_disk')
      case 'EBUSY': throw new Conflict('A disk is mounted here. Unmount it first', 'mounted')
      case 'EFBIG': throw new TooLarge('The file system does not allow files of this size')
      case 'ETXTBSY': throw new Conflict('This program is running', 'running')
      case 'EMLINK': throw new Unavailable('The folder is full')
      default: return usual(error)
    }
  }
}

export const nameTaken = (name?: string): Conflict =>
  new Conflict(name === undefined ? 'This name is already taken' : `${name} already exists`, 'exists')
export const missing = (): NotFound => new NotFound('File not found')
export const readOnly = (): Forbidden => new Forbidden('This file is read-only', 'read_only')

/** Whether an error comes from the system rather than from the data that was read. */
export function isSystemError (error: unknown): boolean {
  return codeOf(error) !== undefined && error instanceof Error && 'syscall' in error && error.syscall !== undefined
}
