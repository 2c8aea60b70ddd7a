import { Unavailable } from '../../../ground/errors.js'

/** What the embedded engine leaves alone, as it would get it wrong. `what`: a part of a sentence. */
export function needsGit (what: string): Unavailable {
  return new Unavailable(
    `This needs git, which is not installed where the service runs. The embedded git does not support ${what}`, 'missing_git'
  )
}
