import { NotFound, Unavailable, type ErrorCode } from '../../../ground/errors.js'

/** Thrown for a document that has no preview, now or later. */
export class Unreadable extends Error {
  constructor (message: string, readonly code: ErrorCode = 'preview_failed') {
    super(message)
  }

  /** The error for clients. The document exists but cannot be shown, like a file above the size limit. */
  asNotFound (): NotFound {
    return new NotFound(this.message, this.code)
  }
}

/** Loads an optional package. Throws Unavailable if it is not installed. */
export async function optional<T> (name: string, load: () => Promise<T>): Promise<T> {
  return await load().catch((error: NodeJS.ErrnoException) => {
    // Some module loaders do not pass the code on.
    if (error.code !== 'ERR_MODULE_NOT_FOUND' && !/^Cannot find (?:package|module) /.test(error.message)) throw error
    throw new Unavailable(`Previews of this kind need the package ${name}, which is not installed with this service`, 'preview_unavailable')
  })
}
