import { Unavailable } from '../../../ground/errors.js'

/** What the embedded engine leaves alone, as it would get it wrong. `what`: a part of a sentence. */
export function needsGit (what: string): Unavailable {
  return new Unavailable(
    `This needs git itself, which is not installed where this service runs: the built-in engine does not handle ${what}`, 'missing_git'
  )
}
