import { Unavailable } from '../../../ground/errors.js'

/** The error for things that the embedded engine refuses, because it would get them wrong. `what` completes the sentence. */
export function needsGit (what: string): Unavailable {
  return new Unavailable(
    `This needs git, which is not installed where the service runs. The embedded git does not support ${what}`, 'missing_git'
  )
}
