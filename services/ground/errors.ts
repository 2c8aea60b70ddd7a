/**
 * Errors of the domain, in the domain's words. Services throw them; one error handler (plugins/ground/errors.ts) maps each to a status and
 * the standard body. `details` become extra body keys.
 */
/** All error codes. The module that holds their catalogue declares them. */
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

/** Returns the code of an error of the system or of a library, such as ENOENT; undefined if it has none. */
export function codeOf (error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Returns a `catch` handler that turns system errors with these codes into null, and throws all others again. */
export function ignoring (...codes: string[]): (error: unknown) => null {
  return (error) => {
    if (codes.includes(codeOf(error) ?? '')) return null
    throw error
  }
}

/** Whether a hard link failed because the file system has none, or the file has as many as it may. */
export const lacksHardLinks = (error: unknown): boolean =>
  ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error) ?? '')

/** Returns the message of a DomainError. Throws any other error again, because its text is not meant for others. */
export function domainMessage (error: unknown): string {
  if (error instanceof DomainError) return error.message
  throw error
}

/** Returns the thrown value as an Error, because JavaScript lets anything be thrown. */
export const asError = (thrown: unknown): Error => thrown instanceof Error ? thrown : new Error(String(thrown))

const mayNot = (): DomainError => new Forbidden('The file system does not permit this')
const noHandles = (): DomainError =>
  new Unavailable('The service has run out of file handles. Try again in a moment', 'no_handles', { retryAfterS: 5 })
const noRoom = (): DomainError => new Unavailable('The disk is full. Nothing was written', 'disk_full', { retryAfterS: 30 })

/**
 * Errors of the file system in the domain's words, the same for all areas. Codes whose meaning depends on the file (ENOENT, EEXIST) are
 * left to each area.
 */
const systemErrors: Readonly<Record<string, () => DomainError>> = {
  EMFILE: noHandles,
  ENFILE: noHandles,
  ENOSPC: noRoom,
  EDQUOT: noRoom,
  EIO: () => new Unavailable('The disk reports an error. This could not be read or written', 'disk_failing', { retryAfterS: 30 }),
  EROFS: () => new Forbidden('The file system is read-only', 'read_only'),
  EACCES: mayNot,
  EPERM: mayNot,
  ENAMETOOLONG: () => new Invalid('The name is too long'),
  ELOOP: () => new Invalid('The path leads through a loop of symbolic links')
}
/** For these calls the same codes mean something else: a firewall, or that the system has no more watches. */
const otherCalls = /^(?:connect|bind|listen|send|getaddrinfo|watch)/

/** Returns a system error, or an error caused by one, in the domain's words; null if it is not about files. */
export function systemFailure (error: unknown): DomainError | null {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const code = codeOf(inner)
    const syscall = 'syscall' in inner ? String(inner.syscall) : ''
    // A thread that cannot start names the code only in its message.
    const found = code === 'ERR_WORKER_INIT_FAILED' ? /E[MN]FILE/.exec(inner.message)?.[0] : code
    const isMeant = !otherCalls.test(syscall) || found === 'ENFILE' || (found === 'EMFILE' && !syscall.startsWith('watch'))
    const failure = found !== undefined && isMeant && Object.hasOwn(systemErrors, found) ? systemErrors[found]?.() : undefined
    if (failure !== undefined) return Object.assign(failure, { cause: error })
  }
  return null
}

/** A `catch` handler for writes. Throws what {@link systemFailure} returns, and any other error as it is. */
export function refuseWrite (error: unknown): never {
  if (error instanceof DomainError) throw error
  const code = codeOf(error)
  if (code === 'EACCES' || code === 'EPERM') throw new Forbidden('The service may not write there', 'read_only')
  throw systemFailure(error) ?? error
}

/** Returns the error for a full disk if another program's output, in the system's words, reports one; null for anything else. */
export function toldFailure (said: string): DomainError | null {
  return /\b(?:ENOSPC|EDQUOT)\b|no space left on device|out of disk ?space|disk quota exceeded|database or disk is full/i.test(said)
    ? noRoom()
    : null
}
