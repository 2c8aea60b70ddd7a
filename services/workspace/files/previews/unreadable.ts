import { NotFound, Unavailable, type ErrorCode } from '../../../ground/errors.js'

/** A document of which no preview can be made, now or later. */
export class Unreadable extends Error {
  constructor (message: string, readonly code: ErrorCode = 'preview_failed') {
    super(message)
  }

  /** It is there, but there is nothing to show: what a file above the size limit is as well. */
  asNotFound (): NotFound {
    return new NotFound(this.message, this.code)
  }
}

/** Loads a package that need not be installed. Throws Unavailable when it is not. */
export async function optional<T> (name: string, load: () => Promise<T>): Promise<T> {
  return await load().catch((error: NodeJS.ErrnoException) => {
    // Loaders between do not always hand the code on.
    if (error.code !== 'ERR_MODULE_NOT_FOUND' && !/^Cannot find (?:package|module) /.test(error.message)) throw error
    throw new Unavailable(`Previews of this kind need the package ${name}, which is not installed with this service`, 'preview_unavailable')
  })
}
