/**
 * What can go wrong in the domain, in the domain's words. Services throw these; one error handler
 * (plugins/errors.ts) maps each to a status and the standard body. `details` become extra body keys.
 */
/** The codes that there are: declared by whoever has the catalogue of them. */
export interface ErrorCodes {}
export type ErrorCode = keyof ErrorCodes

export class DomainError extends Error {
  constructor (
    message: string,
    readonly code?: ErrorCode,
    readonly details: Record<string, unknown> = {}
  ) {
    super(message)
    this.name = new.target.name
  }
}

export class Invalid extends DomainError {}
export class Unauthenticated extends DomainError {}
export class Forbidden extends DomainError {}
export class NotFound extends DomainError {}
export class Conflict extends DomainError {}
export class TooLarge extends DomainError {}
export class TooMany extends DomainError {}
export class RelayFailed extends DomainError {}
export class Unavailable extends DomainError {}

/** What a system call that writes has failed with, in the domain's words; what is no such failure is thrown as it is. A `catch` handler. */
export function refuseWrite (error: unknown): never {
  if (error instanceof DomainError) throw error
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC': case 'EDQUOT': throw new Unavailable('The disk is full: nothing was written', 'disk_full')
    case 'EROFS': throw new Forbidden('The file system is read-only', 'read_only')
    case 'EACCES': case 'EPERM': throw new Forbidden('The service may not write there', 'read_only')
    default: throw error
  }
}
